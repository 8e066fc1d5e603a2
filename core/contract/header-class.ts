import { GatewayError } from "./errors.ts";

/**
 * THE table of header classes: what a header is decides where it may be read, sent, logged and returned. Whoever asks
 * takes the answer from `headerClasses`; no other list of such names exists.
 *
 * - `credential`: proves who somebody is. Masked in logs, never shown to a check, never passed back to a client.
 * - `hop-by-hop`: belongs to one connection, or to its framing (RFC 9110 7.6.1).
 * - `metadata`: opens the metadata service of a cloud to whoever sends it.
 * - `control`: the gateway's own, `x-gateway-…` and the prefixes of GATEWAY_HEADER_ALIASES.
 * - `plain`: everything else.
 */
export type HeaderClass = "credential" | "hop-by-hop" | "metadata" | "control" | "plain";

interface ClassRow {
  readonly class: HeaderClass;
  /** A credential between the client and us alone: no provider ever gets it, asked for or not. */
  readonly session?: true;
}
const CREDENTIAL: ClassRow = { class: "credential" };
const SESSION: ClassRow = { class: "credential", session: true };
const HOP: ClassRow = { class: "hop-by-hop" };
const METADATA: ClassRow = { class: "metadata" };
const CONTROL: ClassRow = { class: "control" };
const PLAIN: ClassRow = { class: "plain" };

/** Rows of well-known headers, by their names in lower case. */
export const HEADER_CLASSES: Readonly<Record<string, ClassRow>> = {
  authorization: CREDENTIAL,
  "x-api-key": CREDENTIAL,
  "api-key": CREDENTIAL,
  apikey: CREDENTIAL,
  "x-auth-token": CREDENTIAL,
  "x-access-token": CREDENTIAL,
  "x-csrf-token": CREDENTIAL,
  "x-user-claims": CREDENTIAL,
  "x-user-jwt": CREDENTIAL,
  cookie: SESSION,
  cookie2: SESSION,
  "set-cookie": SESSION,
  "set-cookie2": SESSION,
  "proxy-authorization": SESSION,
  "sec-websocket-protocol": SESSION, // clients that cannot set headers send their key in it
  connection: HOP,
  "keep-alive": HOP,
  "proxy-connection": HOP,
  "proxy-authenticate": HOP,
  te: HOP,
  trailer: HOP,
  "transfer-encoding": HOP,
  upgrade: HOP,
  expect: HOP,
  "http2-settings": HOP,
  "sec-websocket-key": HOP,
  "sec-websocket-version": HOP,
  "sec-websocket-extensions": HOP,
  "sec-websocket-accept": HOP,
  host: HOP,
  "content-length": HOP,
  metadata: METADATA,
  "metadata-flavor": METADATA,
  "x-google-metadata-request": METADATA,
  "x-aws-ec2-metadata-token": METADATA,
  "x-aws-ec2-metadata-token-ttl-seconds": METADATA,
  "x-aliyun-ecs-metadata-token": METADATA,
  "x-aliyun-ecs-metadata-token-ttl-seconds": METADATA,
  "x-identity-header": METADATA,
};

/** Every vendor has such a name of its own (`x-acme-api-key`); whose it is makes no difference. */
const CREDENTIAL_NAME = /-(api-?key|subscription-key|security-token)$/;

interface OwnRow extends ClassRow {
  /** Written by the gateway for itself: from a client it counts as not sent, whoever would look at it. */
  readonly internal?: true;
  /** Names a trace and nothing else: checks may read it, and pass it on to those they ask. */
  readonly free?: true;
}
const INTERNAL: OwnRow = { class: "control", internal: true };

/** Rows of the gateway's own headers that are more than read, by their names without prefix. */
export const OWN_HEADERS: Readonly<Record<string, OwnRow>> = {
  "api-key": CREDENTIAL,
  "trace-id": { class: "control", free: true },
  "span-id": { class: "control", free: true },
  "default-input-guardrails": INTERNAL,
  "default-output-guardrails": INTERNAL,
  "gateway-exception": INTERNAL,
  "request-id": INTERNAL,
  "retry-attempt-count": INTERNAL,
  "cache-status": INTERNAL,
  "last-used-option-index": INTERNAL,
  "last-used-option-params": INTERNAL,
};

/** What is known of a header by its name. */
export interface HeaderKind {
  readonly class: HeaderClass;
  /** Its name without the gateway's prefix; `null` when it is none of the gateway's own. */
  readonly own: string | null;
  /** See OwnRow. */
  readonly internal: boolean;
  /** A check may read it. */
  readonly shownToChecks: boolean;
  /** A check that calls out may pass it on (`forwardHeaders`). */
  readonly forwardedByChecks: boolean;
  /** A config or request may have it passed on to the provider (`forward_headers`). */
  readonly forwardedToProvider: boolean;
  /** May be in a request that leaves, whoever wrote it. */
  readonly leaves: boolean;
  /** May be in a provider's answer that the client gets. */
  readonly returned: boolean;
}

/** Answers for one deployment's aliases; a name costs one look-up. Names are in lower case. */
export interface HeaderClasses {
  of(name: string): HeaderKind;
  /** `x-gateway-` and the aliases, in lower case. */
  readonly prefixes: readonly string[];
}

export const OWN_PREFIX = "x-gateway-";
/** Names come from clients: far more than any client has are not remembered, nor names far longer than any has. */
const MAX_KNOWN = 2_000;
const MAX_KNOWN_CHARS = 128;

/** Prepares the table for a deployment's aliases; throws SETTING_INVALID for one that would swallow a well-known header. */
export function headerClasses(aliases: readonly string[]): HeaderClasses {
  const prefixes = [OWN_PREFIX, ...aliases.map((alias) => alias.toLowerCase())];
  for (const alias of prefixes) refuseSwallowing(alias);
  const longestFirst = prefixes.toSorted((a, b) => b.length - a.length);
  const classified = new Map<string, HeaderKind>();
  const judged = (name: string): HeaderKind => {
    const prefix = longestFirst.find((start) => name.startsWith(start));
    const kind = prefix === undefined ? kindOf(rowFor(name), null) : ownKind(name.slice(prefix.length));
    if (name.length > MAX_KNOWN_CHARS) return kind;
    if (classified.size >= MAX_KNOWN) classified.clear();
    classified.set(name, kind);
    return kind;
  };
  return { of: (name) => classified.get(name) ?? judged(name), prefixes };
}

const rowOf = <Row>(table: Readonly<Record<string, Row>>, name: string): Row | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
const rowFor = (name: string): ClassRow => rowOf(HEADER_CLASSES, name) ?? (CREDENTIAL_NAME.test(name) ? CREDENTIAL : PLAIN);
const ownKind = (name: string): HeaderKind => kindOf(rowOf(OWN_HEADERS, name) ?? CONTROL, name);

function kindOf(row: OwnRow, own: string | null): HeaderKind {
  const free = row.class === "plain" || row.free === true;
  const credential = row.class === "credential";
  const theirs = own === null;
  return Object.freeze({
    class: row.class,
    own,
    internal: row.internal === true,
    shownToChecks: !credential && (theirs || free),
    forwardedByChecks: free,
    forwardedToProvider: theirs && (free || (credential && row.session !== true)),
    leaves: row.free === true || (theirs && row.class !== "hop-by-hop" && row.session !== true),
    returned: theirs && row.class === "plain",
  });
}

function refuseSwallowing(alias: string): void {
  const swallowed = Object.keys(HEADER_CLASSES).find((name) => name.startsWith(alias));
  if (swallowed === undefined) return;
  const why = `the header ${swallowed} begins like it and would become the gateway's own; take a longer prefix, as in x-acme-`;
  throw new GatewayError("SETTING_INVALID", { name: "GATEWAY_HEADER_ALIASES", value: alias, why });
}

/** Why a check may not pass this header on, as the end of a sentence; `undefined` when it may. */
export function forwardProblem(name: string, headers: HeaderClasses): string | undefined {
  if (!/^[a-z0-9-]+$/.test(name)) return "a header name here has lowercase letters, digits and hyphens";
  const kind = headers.of(name);
  if (kind.forwardedByChecks) return undefined;
  return kind.own === null ? "it carries credentials, cloud metadata or belongs to the connection" : "it is one of the gateway's own";
}

/** Headers by their names in lower case: a plain object crosses into the runtime once, a Headers object at each member. */
export type HeaderRecord = Record<string, string>;

/** A comma-separated header as its members. */
export const headerList = (value: string): string[] =>
  value
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
