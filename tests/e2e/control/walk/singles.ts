/** Operations of the fact sheet that are no part of a resource's usual five. */
import type { TSchema } from "@sinclair/typebox";
import { bodyOf, type Json } from "../../endpoints/api.ts";
import { ask } from "../../process.ts";
import { FAMILIES, made } from "./families.ts";
import * as shape from "./shapes.ts";
import type { World } from "./world.ts";

const { int, json, list, NOTHING, object, one, orNull, text, time, uuid, bool } = shape;

export interface Single {
  readonly section: string;
  /** Method and path of the sheet. */
  readonly operation: string;
  /** Whose key may ask it. */
  readonly by: "organisation" | "workspace" | "anybody";
  /** A legal request: path, query and body. */
  readonly legal: (world: World) => Promise<Asked> | Asked;
  readonly shape: TSchema;
  /** Bodies that are refused with 400, and the member that is named. */
  readonly wrong?: (legal: Asked, world: World) => readonly (readonly [body: Json, param: string])[];
  /** Queries that are, and what is named. */
  readonly wrongQueries?: readonly (readonly [query: string, param: string])[];
  /** Bodies that are refused with 403, and the member that is named. */
  readonly elsewhere?: (legal: Asked, world: World) => readonly (readonly [body: Json, param: string])[];
}
export interface Asked {
  readonly path: string;
  readonly body?: Json;
}

const familyAt = (path: string) => FAMILIES.find((family) => family.path === path) ?? missing(path);
function missing(path: string): never {
  throw new Error(`no family at ${path}`);
}
/** The path of an operation on a new record of a family. */
const below =
  (path: string, rest: string, body?: Json) =>
  async (world: World): Promise<Asked> => ({
    path: `${world.at(path)}/${(await made(familyAt(path), world)).id}${rest}`,
    ...(body && { body }),
  });

const names = list(object({ id: uuid, slug: text }));
const excluded = object({ object: one("list"), total: int, data: list(object({ workspace_id: uuid })) });
const exclusion = (workspace_id: string): Json => ({ workspace_id, excluded: true });
const exclusions = (side: string): readonly Single[] => {
  const path = `/v2/workspace-exclusions/${side}-guardrails`;
  return [
    {
      ...{ section: "3.6", operation: `GET ${path}`, by: "organisation", shape: excluded },
      legal: ({ organisationId }) => ({ path: `${path}?organisation_id=${organisationId}` }),
      wrongQueries: [
        ["organisation_id=none", "organisation_id"],
        ["surprise=1", "surprise"],
      ],
    },
    {
      ...{ section: "3.6", operation: `PUT ${path}`, by: "organisation", shape: NOTHING },
      legal: ({ organisationId, workspace }) => ({
        ...{ path, body: { organisation_id: organisationId, workspaces: [exclusion(workspace.slug)], override_existing: true } },
      }),
      wrong: ({ body }) => {
        const { organisation_id, ...noOrganisation } = { ...body };
        const { workspaces, ...noWorkspaces } = { ...body };
        return [
          [noOrganisation, "organisation_id"],
          [noWorkspaces, "workspaces"],
          [{ ...body, organisation_id: 7 }, "organisation_id"],
          [{ ...body, workspaces: "all" }, "workspaces"],
          [{ ...body, workspaces: [{ excluded: true }] }, "workspaces"],
          [{ ...body, workspaces: [{ workspace_id: "x", excluded: "yes" }] }, "workspaces"],
          [{ ...body, override_existing: "yes" }, "override_existing"],
          [{ ...body, surprise: 1 }, "surprise"],
        ];
      },
      elsewhere: ({ body }, { foreign }) => [
        [{ ...body, organisation_id: foreign.organisationId }, "organisation_id"],
        [{ ...body, workspaces: [exclusion(foreign.workspaceId)] }, "workspaces"],
      ],
    },
  ];
};

const DEFAULTS = "/v2/admin/organisation/defaults";
const INTEGRATIONS = "/admin/v2/integrations";
const integrationModel = {
  slug: text,
  name: text,
  enabled: bool,
  is_custom: orNull(bool),
  is_finetune: orNull(bool),
  base_model_slug: orNull(text),
};
const grant = { id: text, enabled: bool, usage_limits: orNull(list(json)), rate_limits: orNull(list(json)) };
const between = (world: World): string =>
  `start_time=2020-01-01T00:00:00Z&end_time=2099-01-01T00:00:00Z&organisation_id=${world.organisationId}`;
const record = { request: { url: "https://a.example/v1/x", body: {} }, response: { body: {} } };

export const SINGLES: readonly Single[] = [
  {
    ...{ section: "2.2", operation: "GET /v2/configs/{slug}/versions", by: "workspace", shape: shape.ConfigVersions },
    legal: below("/v2/configs", "/versions"),
  },
  {
    ...{ section: "2.4", operation: "POST /v2/api-keys/{id}/rotate", by: "workspace" },
    shape: object({ id: uuid, key: text, key_transition_expires_at: time }),
    legal: below("/v2/api-keys", "/rotate", { key_transition_period_ms: 1_800_000 }),
    wrong: () => [
      [{ key_transition_period_ms: 1_799_999 }, "key_transition_period_ms"],
      [{ key_transition_period_ms: "long" }, "key_transition_period_ms"],
      [{ surprise: 1 }, "surprise"],
    ],
  },
  {
    ...{ section: "2.10", operation: "GET /v2/model-configs/pricing/{provider}/{model}", by: "anybody" },
    shape: object({ pay_as_you_go: object({ request_token: object({}), response_token: object({}) }), currency: one("USD") }),
    legal: () => ({ path: "/v2/model-configs/pricing/openai/gpt-4o" }),
  },
  {
    ...{
      section: "2.11",
      operation: "GET /v2/models/{model}",
      by: "workspace",
      shape: object({ id: text, object: one("model"), owned_by: text }),
    },
    legal: () => ({ path: "/v2/models/echo" }),
  },
  {
    ...{
      section: "2.11",
      operation: "DELETE /v2/models/{model}",
      by: "workspace",
      shape: object({ id: text, deleted: bool, object: text }),
    },
    legal: () => ({ path: "/v2/models/echo" }),
  },
  {
    ...{ section: "3.1", operation: `GET ${INTEGRATIONS}/{slug}/models`, by: "organisation" },
    shape: object({ total: int, models: list(object(integrationModel)) }),
    legal: below(INTEGRATIONS, "/models"),
  },
  {
    ...{ section: "3.1", operation: `PUT ${INTEGRATIONS}/{slug}/models`, by: "organisation", shape: NOTHING },
    legal: below(INTEGRATIONS, "/models", { models: [{ slug: "walk-model", enabled: true, is_custom: true }], allow_all_models: true }),
    wrong: () => [
      [{}, "models"],
      [{ models: "all" }, "models"],
      [{ models: [{ enabled: true }] }, "models"],
      [{ models: [{ slug: "x" }] }, "models"],
      [{ models: [], allow_all_models: "yes" }, "allow_all_models"],
      [{ models: [], surprise: 1 }, "surprise"],
    ],
  },
  {
    ...{ section: "3.1", operation: `DELETE ${INTEGRATIONS}/{slug}/models`, by: "organisation", shape: NOTHING },
    async legal(world) {
      const { path } = await below(INTEGRATIONS, "/models")(world);
      const custom = { slug: "walk-model", enabled: true, is_custom: true };
      bodyOf(await world.plane.admin("PUT", path, { models: [custom] }));
      return { path: `${path}?slugs=walk-model` };
    },
  },
  {
    ...{ section: "3.1", operation: `GET ${INTEGRATIONS}/{slug}/workspaces`, by: "organisation" },
    shape: object({ total: int, workspaces: list(object(grant)) }),
    legal: below(INTEGRATIONS, "/workspaces"),
  },
  {
    ...{ section: "3.1", operation: `PUT ${INTEGRATIONS}/{slug}/workspaces`, by: "organisation", shape: NOTHING },
    legal: async (world) => ({
      ...(await below(INTEGRATIONS, "/workspaces")(world)),
      body: {
        workspaces: [{ id: world.workspace.id, enabled: true, usage_limits: null, rate_limits: null, create_default_provider: false }],
      },
    }),
    wrong: () => [
      [{ workspaces: "all" }, "workspaces"],
      [{ workspaces: [{ enabled: true }] }, "workspaces"],
      [{ workspaces: [{ id: "default" }] }, "workspaces"],
      [{ global_workspace_access: {} }, "global_workspace_access"],
      [{ override_existing_workspace_access: "yes" }, "override_existing_workspace_access"],
      [{ surprise: 1 }, "surprise"],
    ],
  },
  {
    ...{ section: "3.6", operation: `GET ${DEFAULTS}`, by: "organisation", legal: () => ({ path: DEFAULTS }) },
    shape: object({ input_guardrails: names, output_guardrails: names }),
    wrongQueries: [["surprise=1", "surprise"]],
  },
  {
    ...{ section: "3.6", operation: `PUT ${DEFAULTS}`, by: "organisation", shape: NOTHING },
    legal: () => ({ path: DEFAULTS, body: { input_guardrails: [], output_guardrails: [] } }),
    wrong: () => [
      [{ input_guardrails: "all" }, "input_guardrails"],
      [{ output_guardrails: [7] }, "output_guardrails"],
      [{ input_guardrails: ["none"] }, "input_guardrails"],
      [{ input_guardrails: ["a", "a"] }, "input_guardrails"],
      [{ surprise: 1 }, "surprise"],
    ],
  },
  ...exclusions("input"),
  ...exclusions("output"),
  {
    ...{ section: "4.1", operation: "POST /v1/logs", by: "workspace", shape: object({ status: text, ids: list(text) }) },
    legal: () => ({ path: "/v1/logs", body: { ...record, metadata: { trace_id: "walk", span_id: "s", span_name: "n", free: "y" } } }),
    wrong: () => [
      [{ response: record.response }, "request"],
      [{ request: record.request }, "response"],
      [{ ...record, request: { body: {} } }, "request"],
      [{ ...record, request: { url: "https://a.example/v1/x" } }, "request"],
      [{ ...record, response: {} }, "response"],
      [{ ...record, metadata: "red" }, "metadata"],
    ],
  },
  {
    ...{
      section: "4.1",
      operation: "GET /v1/logs/{logId}",
      by: "workspace",
      shape: object({ request: json, response: json, metrics: json }),
    },
    async legal({ plane, keys }) {
      const { json } = await ask(`${plane.gateway.base}/v1/logs`, "POST", keys.workspace, record);
      return { path: `/v1/logs/${String((json["ids"] as readonly string[] | undefined)?.[0])}` };
    },
    wrongQueries: [
      ["type=flying", "type"],
      ["path_format=v9", "path_format"],
      ["created_at=yesterday", "created_at"],
      ["surprise=1", "surprise"],
    ],
  },
  {
    ...{ section: "4.2", operation: "GET /v2/audit-logs", by: "organisation" },
    shape: object({ records: list(object({ timestamp: text, method: text, uri: text })), total: int, object: one("analytics-graph") }),
    legal: (world) => ({ path: `/v2/audit-logs?${between(world)}` }),
    wrongQueries: [
      ["method=FLY", "method"],
      ["user_type=robot", "user_type"],
      ["page_size=101", "page_size"],
      ["page_size=-1", "page_size"],
      ["current_page=-1", "current_page"],
      ["surprise=1", "surprise"],
    ],
  },
  {
    ...{
      section: "4.3",
      operation: "POST /v2/admin/users/invites/{inviteId}/resend",
      by: "organisation",
      shape: object({ inviteLink: text, invite_link: text }),
    },
    legal: below("/v2/admin/users/invites", "/resend"),
  },
  {
    ...{ section: "4.4", operation: "POST /v2/admin/workspaces/{workspaceId}/users", by: "organisation", shape: NOTHING },
    async legal({ plane, at }) {
      const email = `walk-added-${crypto.randomUUID().slice(0, 8)}@example.org`;
      const { id } = await plane.person(email, [], { workspace_api_key_details: null });
      return { path: at("/v2/admin/workspaces/{workspaceId}/users"), body: { users: [{ id, role: "manager" }] } };
    },
    wrong: ({ body }) => [
      [{ ...body, surprise: 1 }, "surprise"],
      [{ users: "all" }, "users"],
      [{ users: [{}] }, "users"],
      [{ users: [{ id: "nobody" }] }, "users"],
      [{ users: [{ id: crypto.randomUUID() }] }, "users"],
      [{ users: [{ id: crypto.randomUUID(), role: "owner" }] }, "users"],
    ],
  },
];
