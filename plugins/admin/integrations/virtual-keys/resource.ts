import { Type } from "@sinclair/typebox";
import {
  defineResource,
  futureTime,
  judgeUsageLimits,
  makeSlug,
  Providers,
  reactivated,
  refusePinned,
  type RuleInput,
  type WireError,
} from "#contract";
import { changedIntegration, forgetIntegration, madeIntegration, type Provider } from "./integration.ts";
import { CreateBody, OwnPart, UpdateBody, VirtualKey } from "./schema.ts";
import { joined, oneWhole, ownPart } from "./view.ts";

const NOUN = "virtual key";
const Created = Type.Object({
  success: Type.Boolean({ description: "Always true." }),
  data: Type.Object({ slug: Type.String({ description: "Short name." }) }),
});

/** A provider and the integration that it is of, seen as one: nothing of it is kept twice. */
export const virtualKeys = defineResource({
  noun: NOUN,
  plane: "control",
  path: "/virtual-keys",
  tag: "Virtual keys",
  collection: Providers,
  param: "slug",
  by: ["slug"],
  tenancy: "workspace",
  scopes: { families: ["virtual_keys"] },
  absent: 404,
  failure: legacyFailure,
  list: {
    query: Type.Object({}),
    envelope: "list",
    item: Type.Object(OwnPart.properties),
    view: (record, input) => ownPart(record, input),
    joined: (page, input) => joined(page, input),
  },
  create: {
    description: "Makes an integration of the workspace and the provider of it, with one slug.",
    body: CreateBody,
    reply: Created,
    make: (input) => ({ record: draftOf(input) }),
    beside: (record, input) => madeIntegration(record, input),
    answer: ({ slug }) => ({ success: true, data: { slug } }),
  },
  read: { reply: VirtualKey, view: (record, input) => oneWhole(record, input) },
  update: {
    description:
      "The credential and the deployments are those of the integration that was made with it. They are refused where others use it too, and where it was made as an integration: there they are changed.",
    body: UpdateBody,
    reply: Type.Object({}),
    change: (record, input) => changeOf(record, input),
    beside: (next, input) => changedIntegration(next, input),
    answer: () => ({}),
  },
  remove: {
    description: "Deletes the provider, and the integration that was made with it.",
    before: async (_, { caller }) => refusePinned(caller, `${NOUN}s`),
    after: forgetIntegration,
  },
});

function draftOf({ body, caller, now }: RuleInput<CreateBody>) {
  refusePinned(caller, `${NOUN}s`);
  judgeUsageLimits(body.usage_limits);
  const { name = body.provider ?? NOUN, note = null, usage_limits = null, rate_limits, expires_at } = body;
  return {
    ...{ name, slug: makeSlug("", name), integration_id: crypto.randomUUID(), note, status: "active" as const, usage_limits, tags: {} },
    rate_limits: rate_limits ? [rate_limits].flat() : [],
    expires_at: expires_at === undefined ? null : futureTime(expires_at, now, "expires_at"),
  };
}

function changeOf(record: Provider, { body, caller }: RuleInput<UpdateBody>) {
  refusePinned(caller, `${NOUN}s`);
  judgeUsageLimits(body.usage_limits);
  const { name, note, usage_limits } = body;
  return {
    ...(name !== undefined && { name }),
    ...(note !== undefined && { note }),
    ...(usage_limits !== undefined && { usage_limits }),
    ...reactivated(record, usage_limits === undefined ? {} : { usage_limits }),
  };
}

/** The body that older clients read; beside it, except where it is documented alone, the one of the plane. */
function legacyFailure({ message, type, param, code }: WireError, status: number) {
  const legacy = { success: false, data: { message } };
  return status === 401 ? legacy : { ...legacy, error: { message, type, param, code } };
}
