import { Type } from "@sinclair/typebox";
import { AuditEntries, definePlugin, Workspaces } from "#contract";
import { listAuditLogs } from "./list.ts";

/** `GET /v2/audit-logs` */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records"],
  collections: [AuditEntries, Workspaces],
  setup: ({ records }) => ({ provides: { routes: [listAuditLogs(records)] } }),
});
