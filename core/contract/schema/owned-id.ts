import { Type } from "@sinclair/typebox";
import { defineCollection } from "../storage.ts";
import { Nullable, Timestamp } from "./column.ts";

/**
 * Whose an id is that a provider made (a file's, a response's): one record for each that it was made for. Neither the id
 * nor the credential can be read in it: both are keyed hashes (`vault.digest`), which are of one length, too.
 */
export const OwnedIdRecords = defineCollection({
  name: "owned_ids",
  schema: Type.Object({
    id: Type.String({ description: "Keyed hash of tenant, credential and object." }),
    organisation_id: Type.String({ description: "Organisation of the tenant." }),
    workspace_id: Nullable(Type.String({ description: "The tenant, unless that is the organisation itself." })),
    tenant: Type.String({ description: "Whose it is: a workspace, or an organisation whose own key made it." }),
    credential: Type.String({ description: "Keyed hash of the credential that it was made with." }),
    integration_id: Nullable(Type.String({ description: "Where that credential is kept; it knows the id when its key is another." })),
    object: Type.String({ description: "Keyed hash of the provider's id." }),
    created_at: Timestamp("When it was made."),
    keeping: Nullable(Type.String({ description: "`temporary`: its provider forgets it by itself; null: it lasts until it is deleted." })),
  }),
  index: [["object", "credential"], ["object", "integration_id"], ["created_at"], ["keeping", "created_at"]],
});

/**
 * In place of an object's hash: the tenant had ids made with the credential whose owners were deleted because of their age.
 * What nobody is recorded for may be one of these, and is not there for other tenants.
 */
export const FORGOTTEN = "forgotten";
