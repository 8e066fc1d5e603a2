import { Type } from "@sinclair/typebox";
import { DEFAULT_WORKSPACE, isJson, judgeUsageLimits, makeSlug, resourceOf, SecuritySettings, shown, Workspaces } from "#contract";
import { closeWorkspace, refuseRemoval } from "./closing.ts";
import { storedDefaults } from "./defaults.ts";
import { membersOf, MEMBER, withMembers } from "./member-view.ts";
import { named, statesIn } from "./names.ts";
import { refuseOwnLimits, securityOf, storedSecurity, storedSettings } from "./security.ts";

const { usage_limits, rate_limits } = Workspaces.schema.properties;
const [UsageLimitsList] = usage_limits.anyOf;
const [RateLimitsList] = rate_limits.anyOf;
const Defaults = Type.Object(
  {
    is_default: Type.Integer({ description: "1 for the workspace that every organisation has from the start." }),
    object: Type.Literal("workspace"),
  },
  { additionalProperties: true, description: "What each request of the workspace starts from." },
);

/** Workspaces: what they hold is theirs alone, and so are the keys that reach it. */
export const workspaces = resourceOf(Workspaces, {
  noun: "workspace",
  plane: "control",
  path: "/admin/workspaces",
  tag: "Workspaces",
  param: "workspaceId",
  by: ["id", "slug"],
  scopes: { families: ["workspaces"] },
  decidesRoutes: true,
  object: "workspace",
  shows: {
    defaults: shown(Defaults, ({ defaults, slug }) => ({
      ...(isJson(defaults) && { metadata: {}, ...defaults }),
      is_default: Number(slug === DEFAULT_WORKSPACE),
      object: "workspace" as const,
    })),
    usage_limits: shown(UsageLimitsList, (record) => record.usage_limits ?? []),
    rate_limits: shown(RateLimitsList, (record) => record.rate_limits ?? []),
  },
  store: { defaults: storedDefaults, security_settings: storedSecurity, settings: storedSettings },
  judge(_, { body, caller }) {
    refuseOwnLimits(body, caller);
    for (const limits of body.usage_limits ?? []) judgeUsageLimits(limits);
  },
  joins: {
    schema: { users: Type.Array(MEMBER, { description: "Its members, the first hundred." }), security_settings: SecuritySettings },
    of: async (records, input) => {
      const [members, security] = [await membersOf(records, input), await securityOf(records, input)];
      return records.map((_, at) => ({ ...members[at], ...security[at] }));
    },
  },
  list: {
    query: {
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: "Only those whose names hold this text, in any case." }),
      ),
      exact_name: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "Only those of this very name." })),
      status: Type.Optional(
        Type.String({
          pattern: "^(active|archived)(,(active|archived))?$",
          default: "active",
          description: "`active`, `archived`, or both, with a comma.",
        }),
      ),
    },
    where: async (input) => ({ ...statesIn(input), ...(await named(input)) }),
  },
  create: {
    description: "Its slug is made of its name. `users` are people of the organisation, who become members.",
    body: {
      users: Type.Optional(
        Type.Array(Type.String({ format: "uuid" }), { maxItems: 100, uniqueItems: true, description: "People, by id." }),
      ),
    },
    make: (_, { name }) => ({ record: { slug: makeSlug("ws", name) } }),
    after: (record, input) => withMembers(record, input),
  },
  update: { answer: [] },
  remove: {
    description: `Refused for the workspace \`${DEFAULT_WORKSPACE}\`, and while it holds configs, guardrails, providers, integrations, rate-limit policies or plugin records. Its keys stop at once, what integrations and secret references grant to it is withdrawn, and it stays listed as archived.`,
    before: async (record, input) => {
      await refuseRemoval(record, input);
      await closeWorkspace(record, input);
    },
    archive: () => ({ status: "archived" as const }),
    after: closeWorkspace,
  },
});
