import { type Static, type TSchema, Type } from "@sinclair/typebox";

/**
 * Every gateway request header: one row each.
 * A row is read from `x-gateway-<name>`, from `<prefix><name>` for each prefix in GATEWAY_HEADER_ALIASES, and from
 * its `also` names. Provider-specific headers are not rows here: each field of a provider's `target` schema is read
 * from `x-gateway-<field-with-hyphens>`.
 */
export interface HeaderRow {
  /** Wire name without the `x-gateway-` prefix. */
  readonly name: string;
  /** Other whole header names with the same meaning, spelt in full. */
  readonly also?: readonly string[];
  /** How the text becomes a value: as it is, a boolean, an integer, a JSON value, or a list (CSV or JSON array). */
  readonly read: "text" | "flag" | "integer" | "json" | "list";
  /** No value of it holds a comma, which is how two headers of one name arrive. */
  readonly once?: true;
  readonly schema: TSchema;
}

const text = (description: string, maxLength = 8192) => Type.String({ description, maxLength });
const flag = (description: string) => Type.Boolean({ description });
const list = (description: string) => Type.Array(Type.String({ maxLength: 256 }), { description, maxItems: 100 });

// biome-ignore format: a table, one row a line
export const HEADERS = {
  apiKey:           { name: "api-key", read: "text", once: true, schema: text("The gateway key. `Authorization: Bearer <key>`, else `x-api-key` (or the header that clients of a mounted dialect have for their key), is read when this is absent.", 4096) },
  provider:         { name: "provider", read: "text", schema: text("A provider id, or `@slug` of a provider saved in the workspace.", 255) },
  virtualKey:       { name: "virtual-key", read: "text", schema: text("Older spelling of `x-gateway-provider: @slug`.", 255) },
  config:           { name: "config", read: "text", schema: text("Slug of a saved config, or a config as JSON.", 262_144) },
  customHost:       { name: "custom-host", read: "text", schema: text("Base URL to call instead of the provider's own, version path included. Private and reserved addresses are refused.", 2048) },
  traceId:          { name: "trace-id", read: "text", schema: text("Groups requests; made up when absent; sent back.", 256) },
  spanId:           { name: "span-id", read: "text", schema: text("Id of this request's span in the trace.", 256) },
  parentSpanId:     { name: "parent-span-id", read: "text", schema: text("Id of the span this request belongs under.", 256) },
  spanName:         { name: "span-name", read: "text", schema: text("Name of this request's span.", 256) },
  metadata:         { name: "metadata", read: "json", schema: Type.Record(Type.String(), Type.Unknown(), { description: "JSON object of strings (at most 128 characters each) for filtering logs and analytics. Special keys: `_user`, `_prompt`, `_organisation`, `_environment`. Values of other types are dropped." }) },
  forceRefresh:     { name: "cache-force-refresh", read: "flag", schema: flag("`true` asks the provider again and stores the new answer.") },
  cacheNamespace:   { name: "cache-namespace", read: "text", schema: text("Partitions the cache, ignoring metadata and other headers.", 256) },
  requestTimeoutMs: { name: "request-timeout", read: "integer", schema: Type.Integer({ minimum: 1, maximum: 3_600_000, description: "Milliseconds after which the request ends with 408. A config's own `request_timeout` wins." }) },
  retryCount:       { name: "retry-count", read: "integer", schema: Type.Integer({ minimum: 0, maximum: 100, description: "How often a request is tried again that fails, five times at most, where no config says it. Older clients send it; `retry` of a config says more." }) },
  integratedModels: { name: "fetch-integrated-models", read: "flag", schema: flag("Models list only: `true` answers with the workspace's own catalogue even when a provider or config is given.") },
  modelsEndpoint:   { name: "models-endpoint", read: "text", schema: text("Models list only: any value selects the workspace's own catalogue.", 255) },
  forwardHeaders:   { name: "forward-headers", read: "list", schema: list("Names of request headers passed to the provider unchanged.") },
  sensitiveHeaders: { name: "sensitive-headers", read: "list", schema: list("Names of headers whose values are hashed in logs. Forwards nothing.") },
  beta:             { name: "beta", read: "list", schema: list("Features under trial that the request takes part in, by their names. Names that nobody knows are passed over. `use-responses-api-2026-07-30`: `POST /v1/messages` is translated to the provider's Responses API, where it has one.") },
  strict:           { name: "strict-open-ai-compliance", also: ["x-gateway-strict-openai-compliance"], read: "flag", schema: flag("`false` adds provider extras (content blocks, native finish reasons, `hook_results` in streams). Default `true`.") },
  debug:            { name: "debug", read: "flag", schema: flag("`false` keeps request and response bodies out of the log.") },
} as const satisfies Record<string, HeaderRow>;

/** Longest text of a row. */
const MAX_HEADER_CHARS = Math.max(...Object.values<HeaderRow>(HEADERS).map(({ schema }) => Number(schema["maxLength"] ?? 0)));
/** Bytes of all headers of one request together: the longest row, and 128 KB for the others. */
export const MAX_HEADERS_BYTES = MAX_HEADER_CHARS + 131_072;

export type HeaderName = keyof typeof HEADERS;

/** The parsed gateway headers of one request. A header that was not sent is `undefined`. */
export type Control = {
  readonly [K in HeaderName]?: Static<(typeof HEADERS)[K]["schema"]>;
} & {
  /** Gateway headers that are no row of the table, by wire name without prefix; provider targets read theirs here. */
  readonly rest: Readonly<Record<string, string>>;
};
