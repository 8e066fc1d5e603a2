import { Type } from "@sinclair/typebox";
import { type Caller, definePlugin, defineRoute, GatewayError, type LogRow, type LogStore, OneOf } from "#contract";
import { hookResults, logObject } from "./log-object.ts";

const Query = Type.Object(
  {
    type: Type.Optional(OneOf(["hooks"], { description: "`hooks` answers with the guardrail results instead." })),
    path_format: Type.Optional(OneOf(["v1", "v2"], { default: "v1", description: "Taken and not needed: records are found by id alone." })),
    created_at: Type.Optional(Type.String({ format: "date-time", description: "Taken and not needed." })),
  },
  { additionalProperties: false },
);
const LogObject = Type.Object(
  {},
  { additionalProperties: true, description: "Request, response, metrics and guardrail results of one call." },
);

/** Another tenant's record is as absent as one that never was. */
const isCallers = (row: LogRow, caller: Caller): boolean =>
  row.organisationId === caller.organisationId && (caller.workspaceId === null || row.workspaceId === caller.workspaceId);

const readLog = (logs: Pick<LogStore, "get">) =>
  defineRoute({
    plane: "data",
    method: "GET",
    path: "/logs/:logId",
    tag: "Logs",
    summary: "Get a log",
    scope: "logs.view",
    query: Query,
    reply: LogObject,
    errors: [401, 403, 404, 503],
    async handle({ params, query, caller }) {
      const id = params["logId"] ?? "";
      const row = /^[\w-]{1,128}$/.test(id) ? await logs.get(id) : undefined;
      if (!row || !isCallers(row, caller)) throw new GatewayError("NOT_FOUND", { what: "log of this id" });
      return query.type === "hooks" ? hookResults(row) : logObject(row);
    },
  });

/** `GET /v1/logs/{logId}` */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["logs"],
  setup: ({ logs }) => ({ provides: { routes: [readLog(logs)] } }),
});
