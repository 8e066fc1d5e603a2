import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { GatewayError, hasKeyForm, MAX_PREFIX, OneOf } from "#contract";
import { hostMistake, isLoopback } from "./host-form.ts";
import { firstProblem } from "../../json/shape.ts";

/** One environment variable that the gateway itself reads; plugins name theirs in their manifests. */
export interface SettingRow {
  readonly env: string;
  /** Older or other spellings, read when `env` is not set. */
  readonly also?: readonly string[];
  readonly read: "text" | "integer" | "list";
  /** Never shown: a secret. */
  readonly secret?: { readonly minLength: number; readonly isGatewayKey?: true };
  readonly schema: TSchema;
}

/** Begins the names of variables that the program sets for the processes that it starts; nobody else has a use for one. */
export const INTERNAL = "GATEWAY_INTERNAL_";

/** Anything but control characters, which no file is called by intent. */
const PATH = "^[^\\x00-\\x1f\\x7f]+$";
/** A header's name, or any. */
const HEADER = "^(\\*|[A-Za-z0-9!#$%&'+.^_`|~-]+)$";
const optionalSecret = (description: string) =>
  Type.Optional(Type.String({ pattern: "^[\\x21-\\x7e]+$", maxLength: 4096, secret: true, description }));
const list = (description: string) => Type.Array(Type.String({ minLength: 1 }), { default: [], description });

// biome-ignore format: a table, one row a line
export const SETTINGS = {
  host:          { env: "HOST", read: "text", schema: Type.String({ default: "127.0.0.1", minLength: 1, description: "Address to listen on. Any other than a loopback address needs GATEWAY_ADMIN_KEY." }) },
  port:          { env: "PORT", read: "integer", schema: Type.Integer({ default: 8787, minimum: 0, maximum: 65_535, description: "Port to listen on; 0 takes a free one." }) },
  dataDir:       { env: "GATEWAY_DATA_DIR", read: "text", schema: Type.String({ default: "./data", pattern: PATH, description: "Folder for the embedded database, the keys and the secret key." }) },
  profile:       { env: "GATEWAY_PROFILE", read: "text", schema: Type.String({ default: "default", pattern: PATH, description: "Deployment profile: the name of a built-in one, or a path to a JSON file." }) },
  adminKey:      { env: "GATEWAY_ADMIN_KEY", read: "text", secret: { minLength: 16, isGatewayKey: true }, schema: optionalSecret("Presets the first admin key (control and admin planes). 16 to 256 letters, digits, - and _.") },
  apiKey:        { env: "GATEWAY_API_KEY", read: "text", secret: { minLength: 16, isGatewayKey: true }, schema: optionalSecret("Presets the first gateway key (data plane). 16 to 256 letters, digits, - and _.") },
  secretKey:     { env: "GATEWAY_SECRET_KEY", read: "text", secret: { minLength: 32 }, schema: optionalSecret("Seals stored secrets and digests keys. At least 32 characters; without it, a key file is made in the data folder. The same on every node.") },
  apiKeyPrefix:  { env: "API_KEY_PREFIX", read: "text", schema: Type.String({ default: "", pattern: "^[A-Za-z0-9]*$", maxLength: MAX_PREFIX, description: "What new gateway keys begin with: letters and digits. Keys made before go on working." }) },
  workers:       { env: "GATEWAY_WORKERS", read: "integer", schema: Type.Integer({ default: 1, minimum: 1, maximum: 256, description: "Processes that share the port (Linux)." }) },
  trustedHosts:  { env: "GATEWAY_TRUSTED_HOSTS", also: ["TRUSTED_CUSTOM_HOSTS"], read: "list", schema: list("Comma-separated `host[:port]` (or `*.domain`) that may be called although private.") },
  headerAliases: { env: "GATEWAY_HEADER_ALIASES", read: "list", schema: Type.Array(Type.String({ pattern: "^[A-Za-z0-9-]+-$" }), { default: [], description: "Comma-separated further header prefixes with the dash they end with (`x-acme-`), read like `x-gateway-` and written beside it on every answer." }) },
  corsOrigins:   { env: "CORS_ALLOWED_ORIGINS", read: "list", schema: Type.Array(Type.String({ pattern: "^(\\*|https?://[^/\\s*]+)$" }), { default: [], description: "Comma-separated origins (`https://app.example`, or `*`) whose pages may call the gateway from a browser. None: no page of another origin may." }) },
  corsMethods:   { env: "CORS_ALLOWED_METHODS", read: "list", schema: Type.Array(Type.String({ pattern: "^[A-Z]+$" }), { default: [], description: "Methods that such pages may use; GET, POST, PUT, PATCH and DELETE unless set." }) },
  corsHeaders:   { env: "CORS_ALLOWED_HEADERS", read: "list", schema: Type.Array(Type.String({ pattern: HEADER }), { default: [], description: "Request headers that such pages may send; those they ask for unless set." }) },
  corsExposed:   { env: "CORS_EXPOSE_HEADERS", read: "list", schema: Type.Array(Type.String({ pattern: HEADER }), { default: [], description: "Headers of answers that such pages may read; all unless set." }) },
  requestTimeoutMs: { env: "REQUEST_TIMEOUT", read: "integer", schema: Type.Integer({ default: 300_000, minimum: 1, maximum: 3_600_000, description: "Milliseconds until a provider's answer must have begun, unless the request or its config says otherwise; the longest it may then be silent (pings are silence); and a twelfth of the longest it may take in all." }) },
  maxBodyMb:     { env: "GATEWAY_MAX_BODY_MB", read: "integer", schema: Type.Integer({ default: 32, minimum: 1, maximum: 1024, description: "Largest JSON request body in MB." }) },
  maxUploadMb:   { env: "GATEWAY_MAX_UPLOAD_MB", read: "integer", schema: Type.Integer({ default: 512, minimum: 1, maximum: 16_384, description: "Largest multipart upload in MB; uploads are streamed." }) },
  checkProcesses:  { env: "GATEWAY_CHECK_PROCESSES", read: "integer", schema: Type.Integer({ default: 2, minimum: 1, maximum: 64, description: "Processes at most in which checks run that may take longer than 5 ms of a request; started when they are needed. One workspace has one of them less at most at a time." }) },
  checkDeadlineMs: { env: "GATEWAY_CHECK_DEADLINE_MS", read: "integer", schema: Type.Integer({ default: 1_000, minimum: 10, maximum: 60_000, description: "Milliseconds that such a check may take: of the processor on Linux (and twenty times as many by the clock), else by the clock. Its place in the queue does not count." }) },
  checkMemoryMb:   { env: "GATEWAY_CHECK_MEMORY_MB", read: "integer", schema: Type.Integer({ default: 256, minimum: 128, maximum: 65_536, description: "MB of memory that one of these processes may take (Linux; elsewhere the deadline alone bounds it)." }) },
  isolatedProcesses: { env: "GATEWAY_ISOLATED_PROCESSES", read: "integer", schema: Type.Integer({ default: 2, minimum: 1, maximum: 64, description: "Processes at most of each pack of checks that is isolated (`isolate: process`). A check may keep its process busy for GATEWAY_CHECK_DEADLINE_MS, and the process may take GATEWAY_CHECK_MEMORY_MB." }) },
  spoolMb:       { env: "GATEWAY_SPOOL_MB", read: "integer", schema: Type.Integer({ default: 1024, minimum: 0, maximum: 1_048_576, description: "Megabytes of disk, below the data folder, that log records may take while their store is away; all processes of this machine together. 0 keeps them in memory only." }) },
  memoryMb:      { env: "GATEWAY_MEMORY_MB", read: "integer", schema: Type.Optional(Type.Integer({ minimum: 64, maximum: 16_777_216, description: "MB that request bodies, whole answers and streams held back by guardrails may take together in one process; beyond it new ones are refused with 503. Without it: a quarter of the memory the process may use." })) },
  publicUrl:     { env: "GATEWAY_PUBLIC_URL", read: "text", schema: Type.Optional(Type.String({ pattern: "^https?://[^\\s\\x00-\\x1f\\x7f/?#@]+(/[^\\s\\x00-\\x1f\\x7f?#]*[^\\s\\x00-\\x1f\\x7f?#/])?$", maxLength: 512, description: "Where people reach the gateway, without a slash at its end: links in mails and answers begin with it. Without it, they begin with what the request was asked at." })) },
  mailsPerHour:  { env: "GATEWAY_MAILS_PER_HOUR", read: "integer", schema: Type.Integer({ default: 200, minimum: 1, maximum: 1_000_000, description: "Mails that one organisation may send within an hour, invitations and what its keys bring about together." }) },
  auditRetentionDays: { env: "AUDIT_LOG_RETENTION_DAYS", read: "integer", schema: Type.Integer({ default: 365, minimum: 1, maximum: 36_500, description: "Days for which entries of the audit log are kept." }) },
  logLevel:      { env: "LOG_LEVEL", read: "text", schema: OneOf(["debug", "info", "warn", "error"], { default: "info", description: "Least severe line that the process log shows." }) },
} as const satisfies Record<string, SettingRow>;

export type SettingName = keyof typeof SETTINGS;
export type Environment = Readonly<Record<string, string | undefined>>;
export type Settings = { readonly [K in SettingName]: Static<(typeof SETTINGS)[K]["schema"]> } & {
  /** The whole environment, defaults of this table filled in: what manifests and profiles may refer to. */
  readonly env: Environment;
};

/** Reads the environment once, at start. Anything it cannot accept is refused with a sentence. */
export function readSettings(env: Environment): Settings {
  const values: Record<string, unknown> = {};
  const filled: Record<string, string | undefined> = { ...env };
  for (const [name, row] of Object.entries<SettingRow>(SETTINGS)) {
    const text = textOf(row, env);
    const value = text === undefined ? row.schema.default : read[row.read](text);
    if (value !== undefined) judge(row, value, text ?? "");
    values[name] = Array.isArray(value) ? Object.freeze([...value]) : value;
    if (value !== undefined) filled[row.env] = String(value);
  }
  const settings = Object.freeze({ ...values, env: Object.freeze(filled) }) as Settings; // each member was judged by its schema above
  refuseMistakenHost(settings);
  refuseNoOrigin(settings);
  refuseOpenDoor(settings);
  return settings;
}

const textOf = (row: SettingRow, env: Environment): string | undefined =>
  [row.env, ...(row.also ?? [])].map((name) => env[name]?.trim()).find((text) => text !== undefined && text !== "");

const read: Readonly<Record<SettingRow["read"], (text: string) => unknown>> = {
  text: (text) => text,
  integer: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  list: (text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
};

function judge(row: SettingRow, value: unknown, text: string): void {
  const why = flawOf(row, value);
  if (why !== undefined) throw new GatewayError("SETTING_INVALID", { name: row.env, value: row.secret ? "***" : text, why });
}

/** Why the setting cannot be this value, as the end of a sentence. What a file holds in its place obeys the same rule. */
export function flawOf(row: SettingRow, value: unknown): string | undefined {
  if (row.secret && typeof value === "string" && value.length < row.secret.minLength) return tooShort(value, row.secret.minLength);
  if (row.secret?.isGatewayKey && !hasKeyForm(String(value))) return NO_KEY;
  if (!Value.Check(row.schema, value)) return withWords(firstProblem(row.schema, value)?.why ?? "it is of another shape", row.schema);
  return row.secret && weaknessOf(String(value));
}

/** What the items of a list look like, only its own description says. */
const withWords = (why: string, { type, description = "" }: TSchema): string =>
  type === "array" && why.includes("to match") ? `${why} (${description.replace(/\.$/, "")})` : why;

const NO_KEY =
  "a key has letters, digits, - and _ and nothing else, at most 256 of them; make a random one, for example with: openssl rand -hex 32";
const KNOWN = /^(changeme|change-me|change_me|secret|admin|password|default|example|test|gateway|letmein|your)[-_]?/i;

const tooShort = ({ length }: string, minLength: number): string => `it has ${length} characters and needs at least ${minLength}`;

/** Why this secret is no secret. */
function weaknessOf(secret: string): string | undefined {
  if (new Set(secret).size < 6) return "it repeats a few characters; make a random one, for example with: openssl rand -hex 32";
  if (KNOWN.test(secret) && !/\d/.test(secret))
    return "it is a well-known default; make a random one, for example with: openssl rand -hex 32";
  return undefined;
}

function refuseMistakenHost({ host }: Settings): void {
  const why = hostMistake(host);
  if (why !== undefined) throw new GatewayError("SETTING_INVALID", { name: "HOST", value: host, why });
}

/** As a browser would read it. */
function refuseNoOrigin({ corsOrigins }: Settings): void {
  const mistaken = corsOrigins.find((origin) => origin !== "*" && !URL.canParse(origin));
  if (mistaken === undefined) return;
  const why = `${mistaken} is no origin, such as https://app.example or https://app.example:8443`;
  throw new GatewayError("SETTING_INVALID", { name: SETTINGS.corsOrigins.env, value: corsOrigins.join(", "), why });
}

function refuseOpenDoor({ host, adminKey, apiKey }: Settings): void {
  if (adminKey !== undefined && adminKey === apiKey) {
    throw new GatewayError("SETTING_INVALID", {
      name: "GATEWAY_API_KEY",
      value: "***",
      why: "it is the same as GATEWAY_ADMIN_KEY; every application would be an administrator",
    });
  }
  if (isLoopback(host) || adminKey !== undefined) return;
  const why = "the address can be reached from other machines, so GATEWAY_ADMIN_KEY must be set (or listen on 127.0.0.1)";
  throw new GatewayError("SETTING_INVALID", { name: "HOST", value: host, why });
}
