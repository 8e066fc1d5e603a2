import { Type } from "@sinclair/typebox";
import { type Caller, CallerSight, definePlugin, defineRoute, GatewayError, type LogRow, type LogStore, OneOf } from "#contract";
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

const VIEW = "logs.view";

/** Another tenant's record is as absent as one that never was; so is another key's for who may not view the workspace's logs. */
const isCallers = (row: LogRow, caller: Caller): boolean =>
  row.organisationId === caller.organisationId &&
  (caller.workspaceId === null || row.workspaceId === caller.workspaceId) &&
  (row.apiKeyId === caller.keyId || (caller.scopes.has(VIEW) && (CallerSight.of(caller).has("others") || isSenders(row, caller))));
const isSenders = ({ facts }: LogRow, { userId }: Caller): boolean => userId !== null && facts?.userId === userId;

/** What a caller may see of a record: without what was said in it, or nothing at all. */
function seenBy(caller: Caller, row: LogRow): LogRow | undefined {
  const sight = CallerSight.of(caller);
  if (sight.has("bodies")) return row;
  return sight.has("metadata") ? { ...row, request: null, sent: null, response: null, hooks: null } : undefined;
}

const readLog = (logs: Pick<LogStore, "get">) =>
  defineRoute({
    plane: "data",
    method: "GET",
    path: "/logs/:logId",
    tag: "Logs",
    summary: "Get a log",
    description: "With the scope logs.view any log of the workspace; a key that holds the data plane as a whole reads what it sent itself.",
    scope: VIEW,
    query: Query,
    reply: LogObject,
    errors: [401, 403, 404, 503],
    async handle({ params, query, caller }) {
      const id = params["logId"] ?? "";
      const found = /^[\w-]{1,128}$/.test(id) ? await logs.get(id) : undefined;
      const row = found && isCallers(found, caller) ? seenBy(caller, found) : undefined;
      if (!row) throw new GatewayError("NOT_FOUND", { what: "log of this id" });
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
