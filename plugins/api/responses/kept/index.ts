import { type Static, Type } from "@sinclair/typebox";
import type { Host, Job, OperationRoute } from "#contract";
import { creating } from "./create.ts";
import { KeptResponses } from "./record.ts";
import { retention } from "./retention.ts";
import { laterRoutes } from "./routes.ts";
import { KeptStore } from "./store.ts";

export { KeptResponses } from "./record.ts";

/** How long responses are kept that no provider keeps. */
export const RetentionConfig = Type.Object(
  {
    days: Type.Integer({
      default: 30,
      minimum: 1,
      maximum: 3650,
      description: "Days that responses are kept which the gateway made itself.",
    }),
    maxBytes: Type.Integer({
      default: 10_737_418_240,
      minimum: 1_048_576,
      description: "Bytes that they may take; the oldest go first.",
    }),
    ownedDays: Type.Integer({
      default: 90,
      minimum: 1,
      maximum: 3650,
      description:
        "Days that the gateway knows whose a response is that a provider made, and its items: more than providers keep them. Whose files, assistants, vector stores and models are, it knows until they are deleted.",
    }),
  },
  { additionalProperties: false },
);

/** What the plugin has where responses are kept. */
export interface Kept {
  /** For the route that makes responses. */
  readonly create: Required<Pick<OperationRoute, "prepare" | "keeps">>;
  /** The routes that read, list, cancel and delete them. */
  readonly later: readonly OperationRoute[];
  readonly jobs: readonly Job[];
}

/** Keeps responses that were made by translation, so that what a client asks of them later works there too. */
export function keptResponses(
  host: Host<"records" | "blobs" | "vault">,
  { days, maxBytes }: Pick<Static<typeof RetentionConfig>, "days" | "maxBytes">,
): Kept {
  const { log, now, blobs, vault } = host;
  const records = host.records.in(KeptResponses);
  const store = new KeptStore({ records, blobs, vault, now, days });
  return {
    create: creating(store),
    later: laterRoutes(store),
    jobs: [retention({ store, records, log, now, days, maxBytes })],
  };
}
