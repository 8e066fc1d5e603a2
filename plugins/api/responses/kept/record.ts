import { type Static, Type } from "@sinclair/typebox";
import { type Caller, defineCollection, Nullable, Timestamp, Uuid } from "#contract";

/** What is known of a kept response without opening it. */
export const KeptResponses = defineCollection({
  name: "kept_responses",
  schema: Type.Object({
    id: Type.String({ description: "Id of the response." }),
    created_at: Timestamp("When it was kept."),
    created_day: Type.Integer({ description: "The same as days since the epoch." }),
    organisation_id: Uuid("Organisation."),
    workspace_id: Nullable(Uuid("Workspace; null for a key of the organisation itself.")),
    previous_id: Nullable(Type.String({ description: "The kept response that it continues." })),
    bytes: Type.Integer({ minimum: 0, column: "bigint", description: "Bytes of its sealed content." }),
  }),
  index: [["created_at"], ["created_day"]],
});
export type KeptResponse = Static<typeof KeptResponses.schema>;

export const DAY_MS = 86_400_000;

/** Ids of responses that the gateway made; those of providers look otherwise. */
const OWN = "resp_gw_";
export const ownId = (seed: string): string => OWN + seed;
export const isOwnId = (id: unknown): id is string => typeof id === "string" && id.startsWith(OWN);

export const isOf = (record: KeptResponse, { organisationId, workspaceId }: Caller): boolean =>
  record.organisation_id === organisationId && record.workspace_id === workspaceId;
