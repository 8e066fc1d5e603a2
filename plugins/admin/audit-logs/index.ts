import { Type } from "@sinclair/typebox";
import { AuditEntries, AuditHeads, definePlugin, Workspaces } from "#contract";
import { listAuditLogs } from "./list.ts";

/** `GET /v2/audit-logs` */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records"],
  collections: [AuditEntries, AuditHeads, Workspaces],
  setup: ({ records }) => ({ provides: { routes: [listAuditLogs(records)] } }),
});
