import { Type } from "@sinclair/typebox";
import { ApiKeys, Configs, definePlugin, Guardrails, Organisations, Users, WorkspaceMembers, Workspaces } from "#contract";
import { apiKeys } from "./resource.ts";
import { keyWorker } from "./worker/index.ts";
import { mailed } from "./worker/mailed.ts";

/** Gateway keys of the organisation and of workspaces, and the job that expires and rotates them. */
export default definePlugin({
  kind: "admin",
  config: Type.Object(
    {
      everySec: Type.Integer({
        default: 60,
        minimum: 1,
        maximum: 3_600,
        description: "Seconds between two looks for keys that are due: to be rotated, marked as expired, or warned of.",
      }),
    },
    { additionalProperties: false },
  ),
  needs: ["records", "vault", "mail"],
  collections: [ApiKeys, Configs, Guardrails, Organisations, Users, WorkspaceMembers, Workspaces],
  setup: ({ records, vault, mail, log, now }, { everySec }) => ({
    provides: { resources: [apiKeys] },
    jobs: [keyWorker({ records, vault, log, now, tell: mailed(mail, log) }, everySec)],
  }),
});
