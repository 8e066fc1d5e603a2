import { Type } from "@sinclair/typebox";
import { defineCollection, type RecordOf } from "../storage.ts";
import { JsonObject, Nullable, OneOf, Timestamp, Uuid } from "./column.ts";

/** Who may have done something: a person by a user key, a service key, the gateway itself, its command line, or nobody known. */
export const ACTOR_TYPES = ["user", "api_key", "system", "command_line", "unknown"] as const;

const text = (description: string) => Type.String({ description });

/**
 * What was done on the control and admin planes, by whom, and what it changed; and what was refused. Only ever added to: the
 * entries of an organisation are numbered without a gap, and each holds the hash of the one before it.
 */
export const AuditEntries = defineCollection({
  name: "audit_entries",
  schema: Type.Object({
    id: Uuid("Id."),
    created_at: Timestamp("When."),
    organisation_id: text("Whose log it is in."),
    workspace_id: Nullable(text("Workspace of what was written, or of who was refused.")),
    sequence: Type.Integer({ minimum: 1, column: "bigint", description: "Number in the organisation's log, from 1." }),
    actor_type: OneOf(ACTOR_TYPES, { description: "What kind of somebody did it." }),
    actor_id: Nullable(text("User or key.")),
    actor_name: Nullable(text("Name of the key, or of the part of the gateway.")),
    actor_role: Nullable(text("Type of the key.")),
    action: text("What was done: create, update, delete, refuse, or what its route calls it."),
    resource_type: text("What it was done to: the collection of the record."),
    resource_id: Nullable(text("Which record.")),
    method: Nullable(text("HTTP method; null when no request was behind it.")),
    uri: Nullable(text("Path that was asked.")),
    query_params: Nullable(text("Query of the request, its secrets masked.")),
    request_id: Nullable(text("Trace of the request.")),
    request_headers: Nullable(JsonObject("Headers of the request that say where it came from.")),
    client_ip: Nullable(text("Address of the client, as its proxy names it.")),
    user_agent: Nullable(text("Program of the client.")),
    country: Nullable(text("Country of the client, where a proxy names it.")),
    status: Type.Integer({ minimum: 0, maximum: 999, description: "Status of the answer." }),
    before: Nullable(JsonObject("Members that were changed, as they were; secrets masked.")),
    after: Nullable(JsonObject("The same as they are now.")),
    count: Type.Integer({
      minimum: 1,
      column: "bigint",
      description: "How many alike it stands for: refusals beyond the cap are counted.",
    }),
    previous_hash: text("Hash of the entry before it."),
    hash: text("SHA-256 of the entry, that hash included."),
  }),
  unique: [["organisation_id", "sequence"]],
  index: [["organisation_id", "created_at"]],
});
export type AuditEntry = RecordOf<typeof AuditEntries>;

/** Where each organisation's log ends, and where it begins since its oldest entries were removed. The id is the organisation's. */
export const AuditHeads = defineCollection({
  name: "audit_heads",
  schema: Type.Object({
    id: text("Organisation."),
    sequence: Type.Integer({ minimum: 0, column: "bigint", description: "Number of the last entry." }),
    hash: text("Its hash."),
    anchor_sequence: Type.Integer({
      minimum: 0,
      column: "bigint",
      description: "Number of the last entry that was removed; 0 when none was.",
    }),
    anchor_hash: text("Its hash, from which the chain goes on."),
    anchored_at: Nullable(Timestamp("When entries were last removed.")),
  }),
});
export type AuditHead = RecordOf<typeof AuditHeads>;

/** What stands in the place of a hash before the first entry. */
export const NO_HASH = "0".repeat(64);
