import { Type } from "@sinclair/typebox";
import {
  ACTOR_TYPES,
  type AuditEntry,
  DateTime,
  defineRoute,
  GatewayError,
  isoTime,
  JsonObject,
  Nullable,
  OneOf,
  type RecordsHandle,
  type Route,
  Uuid,
} from "#contract";
import { AuditQuery, conditionOf } from "./query.ts";
import { walked } from "./walk.ts";

const text = (description: string) => Type.String({ description });
const Item = Type.Object({
  id: Uuid("Id."),
  timestamp: DateTime("When."),
  method: Nullable(text("HTTP method; null where no request was behind it.")),
  uri: Nullable(text("Path that was asked.")),
  request_id: Nullable(text("Trace of the request.")),
  request_body: text("What was written, as JSON text with its secrets masked; empty where nothing was."),
  query_params: text("Query of the request, its secrets masked."),
  request_headers: text("Headers that say where the request came from, as JSON text."),
  user_id: Nullable(text("User or key; null where nobody is known.")),
  user_type: OneOf(ACTOR_TYPES, { description: "Who did it." }),
  user_name: Nullable(text("Name of the key, or of the part of the gateway.")),
  user_role: Nullable(text("Type of the key.")),
  organisation_id: text("Organisation."),
  workspace_id: Nullable(text("Workspace of what was written; null at the organisation's level.")),
  response_status_code: Type.Integer({ description: "Status of the answer." }),
  resource_type: text("What it was done to."),
  resource_id: Nullable(text("Which one.")),
  action: text("What was done."),
  client_ip: Nullable(text("Address of the client.")),
  user_agent: Nullable(text("Program of the client.")),
  country: Nullable(text("Country of the client.")),
  before: Nullable(JsonObject("Members that were changed, as they were; secrets masked.")),
  after: Nullable(JsonObject("The same as they are now.")),
  count: Type.Integer({ description: "How many alike it stands for." }),
  sequence: Type.Integer({ description: "Number in the organisation's log." }),
  previous_hash: text("Hash of the entry before it."),
  hash: text("Hash of this one."),
});
const Reply = Type.Object({
  records: Type.Array(Item, { description: "This page, the newest first." }),
  total: Type.Integer({ minimum: 0, description: "How many there are on all pages." }),
  object: Type.Literal("analytics-graph"),
});

export const listAuditLogs = (records: Pick<RecordsHandle, "in">): Route =>
  defineRoute({
    plane: "control",
    method: "GET",
    path: "/audit-logs",
    tag: "Audit Logs",
    summary: "List audit logs",
    description:
      "What was done on the control and admin planes, with what it changed, and what was refused. With a key of the organisation. Each entry holds the hash of the one before it; `gateway audit verify` checks them all.",
    scope: "audit_logs.list",
    query: AuditQuery,
    reply: Reply,
    errors: [400, 401, 403, 500],
    async handle({ query, caller, request }) {
      if (caller.workspaceId !== null)
        throw new GatewayError("ACCESS_DENIED", { what: "the organisation's audit log with a workspace key" });
      if ((query.organisation_id ?? caller.organisationId) !== caller.organisationId)
        throw new GatewayError("ACCESS_DENIED", { what: `the organisation ${query.organisation_id}` }, { param: "organisation_id" });
      const { page_size: limit = 50, current_page: page = 0 } = query;
      const where = await conditionOf(query, caller.organisationId, records);
      const asked = { organisation: caller.organisationId, where, limit, offset: page * limit, signal: request.signal };
      const { data, total } = await walked(asked, records);
      return { records: data.map(shown), total, object: "analytics-graph" as const };
    },
  });

const shown = (entry: AuditEntry) => ({
  id: entry.id,
  timestamp: isoTime(entry.created_at),
  method: entry.method,
  uri: entry.uri,
  request_id: entry.request_id,
  request_body: entry.after === null ? "" : JSON.stringify(entry.after),
  query_params: entry.query_params ?? "",
  request_headers: entry.request_headers === null ? "" : JSON.stringify(entry.request_headers),
  user_id: entry.actor_id,
  user_type: entry.actor_type,
  user_name: entry.actor_name,
  user_role: entry.actor_role,
  organisation_id: entry.organisation_id,
  workspace_id: entry.workspace_id,
  response_status_code: entry.status,
  resource_type: entry.resource_type,
  resource_id: entry.resource_id,
  action: entry.action,
  client_ip: entry.client_ip,
  user_agent: entry.user_agent,
  country: entry.country,
  before: entry.before,
  after: entry.after,
  count: entry.count,
  sequence: entry.sequence,
  previous_hash: entry.previous_hash,
  hash: entry.hash,
});
