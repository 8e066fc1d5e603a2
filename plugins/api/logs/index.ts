import { Type } from "@sinclair/typebox";
import { definePlugin, defineRoute, type HeaderClasses, type LogStore, type Masker, masker } from "#contract";
import { rowOf } from "./record.ts";
import { type Inserted, InsertedIds, InsertedLogs } from "./schema.ts";

const MAX_BODY_BYTES = 8 * 1024 * 1024;

const namesIn = (csv: string): readonly string[] =>
  csv
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");

/** What the client asked to have hashed, under whatever prefix this deployment reads. */
function sensitiveIn(headers: Headers, classes: HeaderClasses): readonly string[] {
  const named: string[] = [];
  headers.forEach((value, name) => {
    if (classes.of(name).own === "sensitive-headers") named.push(...namesIn(value));
  });
  return named;
}

const insertLogs = (logs: Pick<LogStore, "write">, mask: Masker, classes: HeaderClasses) =>
  defineRoute({
    plane: "data",
    method: "POST",
    path: "/logs",
    tag: "Logs",
    summary: "Insert logs",
    description:
      "Keeps records of requests that did not go through the gateway, one or a list. Written when it answers: all of them, or none.",
    scope: "logs.write",
    query: Type.Object({}, { additionalProperties: false }),
    body: InsertedLogs,
    bodyList: true,
    maxBodyBytes: MAX_BODY_BYTES,
    reply: InsertedIds,
    errors: [400, 401, 403, 413, 503],
    examples: {
      "One record": {
        request: {
          url: "https://api.openai.com/v1/chat/completions",
          method: "POST",
          provider: "openai",
          headers: { "content-type": "application/json" },
          body: { model: "gpt-4o", messages: [{ role: "user", content: "Hello" }] },
        },
        response: { status: 200, body: { choices: [] }, response_time: 120 },
        metadata: { trace_id: "trace-1", env: "prod" },
      },
    },
    async handle({ body, caller, request, now }) {
      const records: readonly Inserted[] = Array.isArray(body) ? body : [body];
      const inserting = { caller, now, mask, sensitive: sensitiveIn(request.headers, classes) };
      const rows = records.map((record) => rowOf(record, inserting));
      await logs.write(rows);
      return { status: "success" as const, ids: rows.map(({ id }) => id) };
    },
  });

/** `POST /v1/logs` */
export default definePlugin({
  kind: "api",
  config: Type.Object(
    {
      headersToMask: Type.String({
        default: "",
        pattern: "^ *[\\w!#$%&'*+.^`|~-]* *(, *[\\w!#$%&'*+.^`|~-]* *)*$",
        description: "Comma-separated names of headers whose values are hashed in every inserted record.",
      }),
    },
    { additionalProperties: false },
  ),
  needs: ["logs", "vault", "catalog"],
  setup({ logs, vault, catalog }, { headersToMask }) {
    const mask = masker({ hash: vault.digest, toHash: namesIn(headersToMask), classes: catalog.headers });
    return { provides: { routes: [insertLogs(logs, mask, catalog.headers)] } };
  },
});
