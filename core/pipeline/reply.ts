import type { CacheStatus, Encoder, HeaderClasses, Json, JsonText, Leaf, MountedOperation, Usage, WireError } from "#contract";
import type { HeaderRecord } from "../egress/header.ts";
import { listOf } from "../egress/loop.ts";
import type { ByteSource, Source } from "../egress/source.ts";
import type { Sent } from "./call/sending.ts";
import type { Chunk } from "./stream/chunks.ts";
import { type GuardrailReport, NO_REPORT } from "./guard/report.ts";
import type { PassThrough } from "./stream/pass-through.ts";
import { headerWithoutSecrets, type Secrets } from "./call/secrets-sent.ts";
import type { Resolved } from "./plan/targets.ts";

/** What one target answered, in the client's dialect. */
export interface Reply {
  readonly status: number;
  /** Of the provider, cleaned; the gateway's own are added at the end. */
  readonly headers: HeaderRecord;
  readonly content: Content;
  readonly leaf: Leaf | null;
  readonly from: Resolved | null;
  readonly sent: Sent | null;
  readonly model: string | null;
  readonly retries: number;
  /** All retries were used and it still failed. */
  readonly exhausted: boolean;
  /** Made by the gateway itself: trying another target would hide a mistake. */
  readonly gatewayMade: boolean;
  readonly error: WireError | null;
  readonly cacheStatus: CacheStatus;
  readonly guardrails: GuardrailReport;
  readonly upstreamMs: number;
}
export type Content =
  /** A JSON body, parsed when somebody had to look inside. `hooks` is what is written behind its last member as `hook_results`. */
  | { readonly kind: "whole"; readonly text: JsonText; readonly body: Json | null; readonly usage: Usage | null; readonly hooks?: string }
  | { readonly kind: "stream"; readonly stream: GoodStream }
  /** Audio, files, text, events that nobody reads: bytes on their way through. `usageAtEnd` finds what they used in their end. */
  | { readonly kind: "bytes"; readonly bytes: ByteSource | null; readonly usageAtEnd?: ((tail: string) => Usage | undefined) | undefined };

/** A stream whose beginning is known to be good: bytes of the client's own dialect, or chunks made from events. */
export type GoodStream =
  | { readonly kind: "passing"; readonly passing: PassThrough }
  | { readonly kind: "chunks"; readonly chunks: Source<Chunk>; readonly encoder: Encoder; readonly provider: string };

/** An answer of the gateway's own. */
export const ownReply = (status: number, text: string, body: Json | null, error: WireError | null = null): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  content: { kind: "whole", text, body, usage: null },
  leaf: null,
  from: null,
  sent: null,
  model: null,
  retries: 0,
  exhausted: false,
  gatewayMade: true,
  error,
  cacheStatus: "DISABLED",
  guardrails: NO_REPORT,
  upstreamMs: 0,
});

/** Headers of a provider's answer, beside those their class keeps back, that speak of its connection, its site or its server. */
const DROPPED: ReadonlySet<string> = new Set([
  "content-encoding",
  "clear-site-data",
  "refresh",
  "www-authenticate",
  "server",
  "via",
  "alt-svc",
  "strict-transport-security",
  "date",
  "nel",
  "report-to",
  "x-powered-by",
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "access-control-expose-headers",
  "access-control-allow-headers",
  "access-control-allow-methods",
]);

/** A fresh copy without what must not pass, the credentials it was sent among it, and without what it meant for its connection alone. */
export function passedHeaders(from: Headers, classes: HeaderClasses, secrets: Secrets): HeaderRecord {
  const passing: PassedHeaders = { classes, secrets, headers: {} };
  from.forEach(pass, passing);
  const connection = from.get("connection");
  if (connection !== null) for (const name of listOf(connection.toLowerCase())) delete passing.headers[name];
  return passing.headers;
}

interface PassedHeaders {
  readonly classes: HeaderClasses;
  readonly secrets: Secrets;
  readonly headers: HeaderRecord;
}
function pass(this: PassedHeaders, value: string, name: string): void {
  if (DROPPED.has(name) || !this.classes.of(name).returned) return;
  const told = headerWithoutSecrets(name, value, this.secrets);
  if (told !== null) this.headers[name] = told;
}

/** The error body clients of the data plane read (specification part 7); flat members beside it where documented. */
export function errorBody(error: WireError, more: Readonly<Json> = {}): Json {
  return { error: { message: error.message, type: error.type, param: error.param, code: error.code, ...error.extra }, ...more };
}

/** The same in the form of the operation that was asked. */
export const errorBodyOf = (
  { failure, flatErrors }: MountedOperation,
  status: number,
  error: WireError,
  more: Readonly<Json> = {},
): Json => (failure ? failure(error, status, more) : errorBody(error, { ...more, ...(flatErrors && flat(error)) }));

/** Four strings beside the nested form (specification part 7.4). */
const flat = (error: WireError): Json => ({
  code: error.code ?? "",
  message: error.message,
  param: error.param ?? "",
  type: error.type,
});
