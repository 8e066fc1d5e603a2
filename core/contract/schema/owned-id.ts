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
    keeping: Nullable(
      Type.String({
        description:
          "`temporary`: its provider forgets it by itself; `uncounted`: it goes on, and what it uses is not counted yet; null: it lasts until it is deleted.",
      }),
    ),
    counted_input: Nullable(Type.Integer({ description: "Of what is `uncounted`: tokens of input that were counted already." })),
    counted_output: Nullable(Type.Integer({ description: "The same of output: a stream of it broke off." })),
  }),
  index: [["object", "credential"], ["object", "integration_id"], ["created_at"], ["keeping", "created_at"]],
});

/** Of a record that is there until what its object used is counted; no look-up of owners finds it. */
export const UNCOUNTED = "uncounted";

/**
 * In place of an object's hash: the tenant had ids made with the credential whose owners were deleted because of their age.
 * What nobody is recorded for may be one of these, and is not there for other tenants.
 */
export const FORGOTTEN = "forgotten";
