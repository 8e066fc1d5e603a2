import { type Static, Type } from "@sinclair/typebox";
import {
  ACTOR_TYPES,
  type AuditEntries,
  GatewayError,
  isUuid,
  OneOf,
  type RecordOf,
  type RecordsHandle,
  type Where,
  Workspaces,
} from "#contract";

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description }));
const moment = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description: `${description}: ISO 8601, or milliseconds since the epoch.` }));

export const AuditQuery = Type.Object(
  {
    start_time: moment("From then on; without it, from the beginning"),
    end_time: moment("Until then, and not at it; without it, until now"),
    organisation_id: Type.Optional(Type.String({ format: "uuid", description: "The caller's own organisation; another is refused." })),
    method: Type.Optional(OneOf(["POST", "PUT", "DELETE", "GET", "PATCH"], { description: "HTTP method." })),
    uri: text("Text that the path holds."),
    request_id: text("Trace of the request."),
    user_id: text("Id of the user or the key."),
    user_type: Type.Optional(OneOf(ACTOR_TYPES, { description: "Who did it." })),
    workspace_id: text("Workspace, by id or slug."),
    response_status_code: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: "Status of the answer." })),
    resource_type: text("What it was done to: `api_keys`, `configs`, `guardrails` …; `requests` of refusals."),
    action: text("What was done: `create`, `update`, `delete`, `refuse`, `manage`, `rotate` …"),
    client_ip: text("Address of the client."),
    country: text("Country of the client, as the proxy before the gateway names it."),
    current_page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: "Page, from 0." })),
    page_size: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, default: 50, description: "How many on a page." })),
  },
  { additionalProperties: false },
);
export type AuditQuery = Static<typeof AuditQuery>;

/** Filters by what the member of an entry is. */
const SAME = {
  method: "method",
  request_id: "request_id",
  user_id: "actor_id",
  user_type: "actor_type",
  response_status_code: "status",
  resource_type: "resource_type",
  action: "action",
  client_ip: "client_ip",
  country: "country",
} as const satisfies Partial<Record<keyof AuditQuery, keyof RecordOf<typeof AuditEntries>>>;

/** The condition that a query means, in the caller's organisation. */
export async function conditionOf(
  query: AuditQuery,
  organisation_id: string,
  records: Pick<RecordsHandle, "in">,
): Promise<Where<RecordOf<typeof AuditEntries>>> {
  const same = Object.entries(SAME).flatMap(([name, member]) => {
    const value = query[name as keyof typeof SAME]; // the table's own keys
    return value === undefined ? [] : [[member, value] as const];
  });
  return {
    ...Object.fromEntries(same),
    organisation_id,
    created_at: {
      ...(query.start_time !== undefined && { from: msOf("start_time", query.start_time) }),
      ...(query.end_time !== undefined && { before: msOf("end_time", query.end_time) }),
    },
    ...(query.uri !== undefined && { uri: { contains: query.uri } }),
    ...(query.workspace_id !== undefined && { workspace_id: await workspaceOf(query.workspace_id, organisation_id, records) }),
  };
}

function msOf(param: "start_time" | "end_time", text: string): number {
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isSafeInteger(ms)) return ms;
  throw new GatewayError(
    "REQUEST_INVALID",
    { what: `The parameter ${param} is no moment: ISO 8601, or milliseconds since the epoch.` },
    { param },
  );
}

/** A workspace that was deleted has its entries all the same: what is no slug of one is taken as an id. */
async function workspaceOf(named: string, organisation_id: string, records: Pick<RecordsHandle, "in">): Promise<string> {
  if (isUuid(named)) return named;
  return (await records.in(Workspaces).first({ organisation_id, slug: named }))?.id ?? named;
}
