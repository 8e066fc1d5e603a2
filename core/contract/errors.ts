/**
 * Every error the gateway makes itself: code -> status, wire type, control-plane code and wording.
 * `{name}` in a message is filled from the details. Wording lives here and nowhere else; a message says what was
 * attempted, on what, and what would be right, and never holds a secret or a prompt.
 */
export interface ErrorRow {
  readonly status: number;
  /** `error.type` on the wire. */
  readonly type: string;
  /** Machine code of the control and admin planes (control-plane catalogue AB01..AB09). */
  readonly ab?: `AB0${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;
  readonly message: string;
  /** Said instead when the details hold a `why`: there is more to tell than the rule. */
  readonly because?: string;
  /** Seconds a client should wait, sent as `Retry-After`. */
  readonly retryAfterSec?: number;
}

// biome-ignore format: a table, one row a line
export const ERRORS = {
  // who is asking
  KEY_MISSING:          { status: 401, type: "authentication_error", ab: "AB05", message: "No gateway key was sent. Send it as the header x-gateway-api-key, as Authorization: Bearer <key>, or, where a client has one key only, as x-api-key." },
  KEY_UNKNOWN:          { status: 401, type: "authentication_error", ab: "AB05", message: "The gateway key is not known here. Check that it is complete and was not deleted.", because: "The gateway key is not known here: {why}." },
  KEY_EXPIRED:          { status: 401, type: "authentication_error", ab: "AB05", message: "The gateway key has expired. Create a new one or set a later expires_at." },
  SCOPE_MISSING:        { status: 403, type: "permission_error", ab: "AB03", message: "The key lacks the scope {scope}, which {action} needs. Use a key that holds it." },
  SCOPE_OF_OPERATOR:    { status: 403, type: "permission_error", ab: "AB03", message: "The scope {scope} reaches the whole deployment, and only keys of its first organisation, the operator's, may hold it. Ask whoever runs the gateway." },
  PINNED:               { status: 403, type: "permission_error", ab: "AB03", message: "A key that is pinned to its own config may not write {what}: it could lead that config elsewhere. Use a key that is not pinned." },
  KEY_TOO_WIDE:         { status: 403, type: "permission_error", ab: "AB03", message: "A key may not {deed} one that may do more than itself: {why}." },
  ROLE_MISSING:         { status: 403, type: "permission_error", ab: "AB03", message: "The key belongs to somebody who is no member of its workspace: nothing but the data plane is open to it." },
  SCOPE_ABOVE_ROLE:     { status: 403, type: "permission_error", ab: "AB03", message: "A user key of somebody who is {role} in the workspace cannot hold the scope {scope}: it is above that role, or security settings take it away." },
  ROLE_LACKS_SCOPE:     { status: 403, type: "permission_error", ab: "AB03", message: "The key holds the scope {scope}, which {action} needs, but belongs to somebody who is {role} in the workspace: it is above that role, or security settings take it away." },
  ROLE_TOO_HIGH:        { status: 403, type: "permission_error", ab: "AB03", message: "A {own} of a workspace may not {deed} a {role}: that is more than a {own} is." },
  PLANE_CLOSED:         { status: 403, type: "permission_error", ab: "AB03", message: "The control and admin planes are closed to this key: {why}." },
  ACCESS_DENIED:        { status: 403, type: "permission_error", ab: "AB03", message: "You may not access {what}, or it does not exist." },
  // what is asked
  REQUEST_INVALID:      { status: 400, type: "invalid_request_error", ab: "AB01", message: "{what}" },
  BODY_NOT_JSON:        { status: 400, type: "invalid_request_error", ab: "AB01", message: "The request body is not valid JSON: {why}." },
  BODY_REPEATS:         { status: 400, type: "invalid_request_error", ab: "AB01", message: "The request body names a member twice in one object: readers of JSON differ on which of them counts. Send each member once." },
  BODY_TOO_DEEP:        { status: 400, type: "invalid_request_error", ab: "AB01", message: "The request body nests deeper than {limit} levels." },
  BODY_TOO_MANY_VALUES: { status: 400, type: "invalid_request_error", ab: "AB01", message: "The request body holds more than {limit} {of}." },
  BODY_TAKES_LONG:      { status: 400, type: "invalid_request_error", ab: "AB01", message: "The request body would hold up everybody else while it is parsed, mostly by its {count} or more {what}. Send fewer of them in one request." },
  BODY_TOO_LARGE:       { status: 413, type: "invalid_request_error", ab: "AB01", message: "The request body is larger than the limit of {limitMb} MB for this route." },
  BODY_TOO_COSTLY:      { status: 413, type: "invalid_request_error", ab: "AB01", message: "The request body takes {neededMb} MB or more of memory when it is read, and one request may take {mostMb} MB here. Send a smaller one, or have an operator raise GATEWAY_MEMORY_MB." },
  CONTENT_TYPE:         { status: 400, type: "invalid_request_error", ab: "AB01", message: "The content type {got} is not accepted here; send {expected}." },
  CONTENT_ENCODING:     { status: 415, type: "invalid_request_error", ab: "AB01", message: "The content encoding {got} is not accepted: send the request body as it is, without content-encoding." },
  HEADER_INVALID:       { status: 400, type: "invalid_request_error", ab: "AB01", message: "The header {header} is not valid: {why}." },
  UPGRADE_REQUIRED:     { status: 426, type: "invalid_request_error", message: "{path} is a WebSocket: ask for an upgrade (Connection: Upgrade, Upgrade: websocket, Sec-WebSocket-Version: 13), as WebSocket clients do." },
  HEADERS_TOO_LARGE:    { status: 431, type: "invalid_request_error", message: "The request headers are larger than {limitKb} KB." },
  METHOD_NOT_ALLOWED:   { status: 405, type: "invalid_request_error", ab: "AB01", message: "{path} is not served by {method}; it is by {allowed}.", because: "{path} is not served by {method}; it is by {allowed}. {why}." },
  VERB_UNKNOWN:         { status: 405, type: "invalid_request_error", message: "{path} is not served by {method}. What is asked of it by {method} ends in one of {verbs}." },
  ROUTE_UNKNOWN:        { status: 404, type: "invalid_request_error", ab: "AB08", message: "There is no route {method} {path}. See /openapi.json for those there are." },
  NOT_FOUND:            { status: 404, type: "not_found_error", ab: "AB08", message: "There is no {what}." },
  CONFLICT:             { status: 409, type: "conflict_error", ab: "AB07", message: "{what} exists already." },
  PRECONDITION_FAILED:  { status: 412, type: "conflict_error", ab: "AB07", message: "{what} is not what If-Match names: it was changed meanwhile. Read it again, and send the ETag of that answer." },
  IDEMPOTENCY_REUSED:   { status: 422, type: "invalid_request_error", ab: "AB01", message: "This Idempotency-Key was sent before with another request: another body, path or query, or with a key that could do other things. Send a new one with a new request." },
  IDEMPOTENCY_RUNNING:  { status: 409, type: "conflict_error", ab: "AB07", message: "The first request with this Idempotency-Key is still being carried out. Send it again when that has ended.", retryAfterSec: 1 },
  IDEMPOTENCY_UNSURE:   { status: 409, type: "conflict_error", ab: "AB07", message: "The first request with this Idempotency-Key {how}: its answer cannot be given again. Look whether it was carried out, and send it with a new key if it was not." },
  CHANGED_MEANWHILE:    { status: 409, type: "conflict_error", ab: "AB07", message: "{what} was changed by somebody else meanwhile. Read it, and write it again." },
  IN_USE:               { status: 409, type: "conflict_error", ab: "AB07", message: "{what} cannot be {action} while {why}." },
  ID_UNKNOWN:           { status: 404, type: "invalid_request_error", ab: "AB08", message: "There is no object with the id {id} here." },
  // where it goes
  TARGET_MISSING:       { status: 400, type: "invalid_request_error", message: "No provider was chosen. Send x-gateway-provider (a provider id, or @slug of a saved provider), x-gateway-config, or a model of the form @slug/model." },
  PROVIDER_UNKNOWN:     { status: 400, type: "invalid_request_error", ab: "AB01", message: "There is no provider {provider}. {known}" },
  PROVIDER_WITHHELD:    { status: 403, type: "permission_error", ab: "AB03", message: "The provider {provider} may not be used here: its integration is not granted to this workspace. Whoever administers the organisation can grant it." },
  MODEL_FORBIDDEN:      { status: 403, type: "permission_error", ab: "AB03", message: "{what} may not be asked of the provider {provider}: {why}." },
  PROVIDER_UNAVAILABLE: { status: 503, type: "api_error", message: "The provider {provider} is installed but not running: {why}.", retryAfterSec: 5 },
  TARGET_INVALID:       { status: 400, type: "invalid_request_error", message: "The target {provider} is not complete: {why}." },
  OPERATION_UNSUPPORTED:{ status: 400, type: "invalid_request_error", message: "The provider {provider} does not serve {operation}. {instead}." },
  CONFIG_UNKNOWN:       { status: 400, type: "invalid_request_error", message: "There is no active config {config} in this workspace." },
  CONFIG_INVALID:       { status: 400, type: "invalid_request_error", ab: "AB01", message: "The config is not valid: {why}." },
  CONFIG_OVERRIDE:      { status: 400, type: "invalid_request_error", message: "This key is pinned to its own config, which {sent} would leave. Send the request without it." },
  STRATEGY_UNKNOWN:     { status: 400, type: "invalid_request_error", ab: "AB01", message: "No enabled plugin provides the strategy mode {mode}. Enabled modes: {modes}." },
  GUARDRAIL_UNKNOWN:    { status: 400, type: "invalid_request_error", ab: "AB01", message: "There is no active guardrail {guardrail} in this workspace." },
  CHECK_UNKNOWN:        { status: 400, type: "invalid_request_error", ab: "AB01", message: "No enabled plugin provides the check {check}. {known}" },
  HOST_BLOCKED:         { status: 400, type: "invalid_request_error", ab: "AB01", message: "The host {host} may not be called: it has no public address. An operator can allow a private one with GATEWAY_TRUSTED_HOSTS.", because: "The host {host} may not be called: {why}." },
  HOST_NOT_DECLARED:    { status: 500, type: "api_error", message: "The plugin {plugin} called {host}, which its manifest does not name under needs; write net:{host} there." },
  LOOP_DETECTED:        { status: 508, type: "invalid_request_error", message: "The request has already passed through this gateway; the upstream host points back to it." },
  // limits
  EVALUATIONS_BUSY:     { status: 429, type: "rate_limit_error", ab: "AB06", message: "{most} evaluations of this organisation are under way, and no more are begun. Ask again when one of them has ended.", retryAfterSec: 1 },
  IDEMPOTENCY_FULL:     { status: 429, type: "rate_limit_error", ab: "AB06", message: "{most} requests of this {whose} came with an Idempotency-Key since midnight UTC, and no more are remembered. Send it without one, or tomorrow." },
  RATE_LIMITED:         { status: 429, type: "rate_limit_error", ab: "AB06", message: "The rate limit of {limiter} is reached: {limit} {type} per {per}." },
  BUDGET_EXHAUSTED:     { status: 412, type: "insufficient_quota", message: "The budget of {limiter} is used up: {limit} {type}." },
  // guardrails
  HOOKS_FAILED:         { status: 446, type: "hooks_failed", message: "The guardrail checks failed: {failed}." },
  GUARDRAIL_UNREAD:     { status: 403, type: "permission_error", ab: "AB03", message: "The guardrail {guardrail} {does}, and its check {check} cannot read {what}: {operation} passes to the provider as it came. Ask a mounted operation with a body as that operation has it, or choose a check that judges what passes." },
  GUARDRAIL_LINE_UNREAD: { status: 403, type: "permission_error", message: "The guardrail {guardrail} {does}, and line {line} of the file cannot be judged: {why}." },
  GUARDRAIL_UNSTREAMABLE: { status: 400, type: "invalid_request_error", ab: "AB01", message: "The check {check} cannot run on a streamed answer, and the guardrail {guardrail} denies. Ask without stream, or choose a check that runs on streams." },
  ANSWER_SHARED:        { status: 403, type: "permission_error", ab: "AB03", message: "Several workspaces share this credential, and whose the things in this answer ({type}) are cannot be told. Ask for it as application/json, ask for a thing by its id, or use a credential of this workspace alone." },
  // calls within a request
  INNER_NESTED:         { status: 508, type: "invalid_request_error", message: "{by} asks a model within a call that a check asked: what a check asks, no check asks again." },
  INNER_BUSY:           { status: 503, type: "api_error", message: "{by} was not let ask: {limit} calls within requests are under way {where}.", retryAfterSec: 1 },
  // what came back
  TIMEOUT:              { status: 408, type: "timeout_error", message: "The request exceeded the timeout of {timeoutMs} ms." },
  BODY_STALLED:         { status: 408, type: "timeout_error", message: "The request body stopped arriving: nothing of it came for {silentMs} ms." },
  CLIENT_LEFT:          { status: 499, type: "client_closed_request", message: "The client closed the connection." },
  UPSTREAM_UNREACHABLE: { status: 502, type: "api_error", message: "The connection to the provider {provider} failed: {why}." },
  UPSTREAM_INVALID:     { status: 502, type: "api_error", message: "The provider {provider} answered with something that is not its format: {why}." },
  STREAM_INCOMPLETE:    { status: 502, type: "stream_incomplete", message: "The provider {provider} ended its stream before the answer was complete." },
  STREAM_EMPTY:         { status: 502, type: "stream_incomplete", message: "The provider {provider} opened a stream and sent nothing." },
  // ourselves
  STORAGE_UNAVAILABLE:  { status: 503, type: "api_error", ab: "AB04", message: "The {handle} storage cannot be reached just now; the request was not judged. Try again.", because: "The {handle} storage cannot be used: {why}.", retryAfterSec: 2 },
  NOT_READY:            { status: 503, type: "api_error", ab: "AB04", message: "The gateway is not ready: {why}.", retryAfterSec: 2 },
  SOCKETS_UNAVAILABLE:  { status: 501, type: "api_error", message: "This process serves no WebSockets: {why}." },
  POLICY_DOWN:          { status: 503, type: "api_error", ab: "AB04", message: "The policy {plugin} is not running, so nobody can say whether this request may pass. An operator sees why under /readyz.", retryAfterSec: 5 },
  PLUGIN_TIMEOUT:       { status: 503, type: "api_error", ab: "AB04", message: "The plugin {plugin} did not answer within {seconds} s.", retryAfterSec: 2 },
  MEMORY_FULL:          { status: 503, type: "api_error", ab: "AB04", message: "The requests under way hold all that the memory budget of {budgetMb} MB allows; this one was not taken further. Try again, or have an operator raise GATEWAY_MEMORY_MB.", retryAfterSec: 2 },
  INTERNAL:             { status: 500, type: "api_error", ab: "AB04", message: "The gateway failed inside while handling this request. An operator finds why in its log{under}." },
  // plugins (boot and lifecycle; they name the plugin, the file, the path and what would be right)
  PLUGIN_MANIFEST:      { status: 500, type: "plugin_error", message: "The manifest {file} is not valid at {path}: {why}." },
  PLUGIN_CONTRACT:      { status: 500, type: "plugin_error", message: "The plugin {plugin} asks for contract {range}, this gateway has {version}. Install a build of the plugin for {version}." },
  PLUGIN_CONFIG:        { status: 500, type: "plugin_error", message: "The configuration of plugin {plugin} ({file}) is not valid at {path}: {why}." },
  PLUGIN_REQUIRES:      { status: 500, type: "plugin_error", message: "The plugin {plugin} requires {requires}, which is {state}. Enable it in the profile or disable {plugin}." },
  PLUGIN_SETUP:         { status: 500, type: "plugin_error", message: "The plugin {plugin} ({file}) failed in {step}: {why}." },
  SECRET_MISSING:       { status: 500, type: "plugin_error", message: "The plugin {plugin} has no secret {secret}: {why}." },
  SECRET_UNAVAILABLE:   { status: 503, type: "api_error", message: "The secret of the reference {reference} cannot be read just now: {why}. Try again.", retryAfterSec: 5 },
  SECRET_ABSENT:        { status: 500, type: "api_error", message: "The reference {reference} gives no secret: {why}." },
  OAUTH_REFUSED:        { status: 502, type: "api_error", message: "The token endpoint of the integration {reference} gave no token: {why}." },
  OAUTH_UNAVAILABLE:    { status: 503, type: "api_error", message: "The token endpoint of the integration {reference} cannot be asked just now: {why}. Try again.", retryAfterSec: 5 },
  CREDENTIALS_MISSING:  { status: 500, type: "plugin_error", message: "Neither this workspace nor its organisation keeps credentials for the plugin {plugin}. Make them with POST /v2/plugins{otherwise}." },
  PLUGIN_READY:         { status: 500, type: "plugin_error", message: "The plugin {plugin} ({file}) did not become ready: {why}." },
  PLUGIN_DRAIN:         { status: 500, type: "plugin_error", message: "The plugin {plugin} did not drain: {why}." },
  RELOAD_REFUSED:       { status: 500, type: "plugin_error", message: "The generation that serves goes on: the next one would lose {lost}, which runs now. {why}. Mend it, disable it in the profile, or ask again with ?force=true." },
  PROFILE_INVALID:      { status: 500, type: "plugin_error", message: "The profile {file} is not valid at {path}: {why}." },
  SETTING_INVALID:      { status: 500, type: "plugin_error", message: "The setting {name}={value} is not valid: {why}." },
  STORAGE_UNUSABLE:     { status: 500, type: "plugin_error", message: "{file} cannot be used: {why}. {remedy}." },
  BACKUP_REFUSED:       { status: 500, type: "plugin_error", message: "Nothing was changed: {why}." },
  RESTORE_INCOMPLETE:   { status: 500, type: "plugin_error", message: "The restore broke off: {done} of the copy is in place, and {failed} is not: {why}. What was there before is in {kept}. Start no gateway on it as it is; mend the cause, then run the command again." },
  MIGRATION_REFUSED:    { status: 500, type: "plugin_error", message: "The database was not opened: {why}." },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;
/** The same rows, as the wide type. */
const ERRORS_BY_CODE: Readonly<Record<ErrorCode, ErrorRow>> = ERRORS;
export type ErrorDetails = Readonly<Record<string, string | number | undefined>>;

/** An error that a plugin declares (`defineErrors`): shown like the gateway's own. */
export interface OwnError extends ErrorRow {
  readonly code: string;
}

/**
 * A plugin's own errors, code -> row: thrown as `new GatewayError(errors.ACME_CLOSED, { day })`, answered in the body of the
 * route's plane with the row's status, and worded like the table's: what was attempted, on what, what would be right.
 * Throws where a code is one of the gateway's own or a row is no error.
 */
export function defineErrors<const C extends string>(rows: Readonly<Record<C, ErrorRow>>): { readonly [K in C]: OwnError } {
  const entries = Object.entries<ErrorRow>(rows).map(([code, row]) => [code, ownError(code, row)] as const);
  return Object.fromEntries(entries) as { readonly [K in C]: OwnError }; // the same codes
}
function ownError(code: string, row: ErrorRow): OwnError {
  if (Object.hasOwn(ERRORS, code)) throw new Error(`${code} is an error of the gateway's own; call yours another name`);
  if (!/^[A-Z][A-Z0-9_]*$/.test(code)) throw new Error(`${code} is no error code; write capitals, digits and underscores`);
  if (!(row.status >= 400 && row.status <= 599)) throw new Error(`the status of ${code} must be one between 400 and 599`);
  return { ...row, code };
}

const BRAND = Symbol.for("ai-gateway.error");

/** The one error class; branded, so that a copy of this module inside a foreign plugin is recognised too. */
export class GatewayError extends Error {
  readonly [BRAND] = true;
  override readonly name = "GatewayError";

  /** Of the table, or a plugin's own. */
  readonly code: ErrorCode | (string & {});
  readonly row: ErrorRow;

  constructor(
    error: ErrorCode | OwnError,
    readonly details: ErrorDetails = {},
    options?: { cause?: unknown; param?: string; retryAfterSec?: number },
  ) {
    const row = typeof error === "string" ? ERRORS_BY_CODE[error] : error;
    super(wording(row, details), options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = typeof error === "string" ? error : error.code;
    this.row = row;
    this.param = options?.param ?? null;
    this.retryAfterSec = options?.retryAfterSec ?? row.retryAfterSec;
  }
  /** Seconds a client should wait before it asks again. */
  readonly retryAfterSec: number | undefined;
  /** The member of the request at fault, when one is. */
  readonly param: string | null;
  get status(): number {
    return this.row.status;
  }

  static is(error: unknown): error is GatewayError {
    try {
      return typeof error === "object" && error !== null && BRAND in error;
    } catch {
      return false; // a proxy that refuses to be looked at
    }
  }
}

const wording = (row: ErrorRow, details: ErrorDetails): string =>
  templateOf(row, details).replace(/\{(\w+)\}(\.?)/g, (_, name: string, stop: string) => ended(String(details[name] ?? ""), stop));
/** A detail may be a sentence of its own: it ends once. */
const ended = (text: string, stop: string): string => (stop !== "" && text.endsWith(".") && !text.endsWith("..") ? text : text + stop);

const templateOf = ({ message, because }: ErrorRow, { why }: ErrorDetails): string => (why === undefined ? message : (because ?? message));

/** The message of anything that was thrown, even of what cannot be turned into text. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return "something that has no text";
  }
}
