import type { HeaderClasses } from "./header-class.ts";
import { isJson, type Json } from "./json.ts";
import type { RequestHeaders } from "./request.ts";
import { isAbsoluteUrl, looksLikeToken, maskUrl, maskUrlIn } from "./secret-url.ts";

/** Takes credentials out of what log records keep, wherever they come from. */
export interface Masker {
  /** Request headers as they are kept: the gateway's own apart from the rest. */
  headers(
    headers: Pick<RequestHeaders, "forEach">,
    sensitive: readonly string[],
  ): { readonly plain: Record<string, string>; readonly gateway: Record<string, string> };
  /** A URL without credentials in its query, nor what looks like one in its path, unless it stands in the path that was asked. */
  url(url: string, asked: string): string;
}
export interface MaskRules {
  /** A keyed hash: equal values stay recognisable, short ones cannot be guessed back. */
  hash(text: string): string;
  /** Names of headers hashed in every record, lower case. */
  readonly toHash: readonly string[];
  readonly classes: HeaderClasses;
}

const MASK = "*****";
/** What is called like this holds a credential, be it a header that is in no table, a member or a query parameter; the headers a config gives a check may be any. */
const SECRET =
  /authorization|cookie|api[-_]?key|^(key|[a-z]*(?<!forward)headers)$|token|secret|password|passwd|credential|signature|private[-_]?key|service[-_]?account|jwt/i;
/** Counts of tokens are not secrets. */
const HARMLESS = /(max|min|total|prompt|completion|input|output|reasoning)[-_]?(completion[-_]?)?tokens?$/i;

const isSecret = (name: string): boolean => SECRET.test(name) && !HARMLESS.test(name);

const MAX_REMEMBERED = 8_192;
/** Remembers what a pure function said of short texts that come again and again. */
function remembered<V>(of: (text: string) => V, most = 1_000): (text: string) => V {
  const values = new Map<string, V>();
  return (text) => {
    if (text.length > MAX_REMEMBERED) return of(text);
    const before = values.get(text);
    if (before !== undefined) return before;
    if (values.size >= most) values.clear();
    const made = of(text);
    values.set(text, made);
    return made;
  };
}

/** Takes credentials out of what is kept of a request. */
export function masker({ hash, toHash, classes }: MaskRules): Masker {
  const kindOf = remembered((name) => ({
    secret: classes.of(name).class === "credential" || isSecret(name),
    hashed: toHash.includes(name),
    gateway: classes.of(name).own !== null,
    url: classes.of(name).own === "custom-host",
  }));
  return {
    headers(headers, sensitive) {
      const hashedToo = sensitive.length === 0 ? sensitive : sensitive.map((name) => name.toLowerCase());
      const plain: Record<string, string> = {};
      const gateway: Record<string, string> = {};
      headers.forEach((value, name) => {
        const kind = kindOf(name);
        const shown = kind.secret
          ? MASK
          : kind.hashed || hashedToo.includes(name)
            ? hash(value)
            : kind.url
              ? hostMasked(value)
              : shortened(readable(value));
        (kind.gateway ? gateway : plain)[name] = shown;
      });
      return { plain, gateway };
    },
    url: (url, asked) => withoutTokens(maskedUrl(url), asked.slice(0, MAX_KEPT)),
  };
}

/** Many requests name the same host. */
const hostMasked = remembered(maskUrl);

/** Characters of a header or a URL that a record keeps, and of JSON that is looked through: more would hold up everybody else. */
const MAX_KEPT = 16 * 1024;
const MAX_JSON = 64 * 1024;
const shortened = (text: string): string => (text.length <= MAX_KEPT || JSON_TEXT.test(text) ? text : `${text.slice(0, MAX_KEPT)}…`);
/** The beginning of a URL, cut where a segment or a parameter ends: what begins a secret is not recognised as one. */
function beginningOf(url: string): string {
  if (url.length <= MAX_KEPT) return url;
  const end = Math.max(...["/", "?", "&"].map((mark) => url.lastIndexOf(mark, MAX_KEPT)));
  return `${url.slice(0, Math.max(0, end))}…`;
}

const JSON_TEXT = /^\s*\{/;
const URL_TEXT = /^\w+:\/\//;
/** A text without the credentials inside it, if it is a URL or JSON. Most headers are neither, and are told so by a search. */
function readable(text: string): string {
  if (text.includes("{") && JSON_TEXT.test(text)) return masked(text);
  return text.includes(":") && isUrl(text) ? maskedUrl(text) : text;
}
const isUrl = (text: string): boolean => URL_TEXT.test(text) || isAbsoluteUrl(text);

/** Up to the last `@` before the path, as URLs are parsed: a backslash is a slash, tabs and line ends count for nothing. */
const USER_INFO = /^([\0-\x20]*\w[\w+.\t\n\r-]*:[\\/\t\n\r]*)[^/\\?#]*@/;
/** A URL without the credentials before its host and in its query. */
function maskedUrl(whole: string): string {
  const url = beginningOf(whole.includes("@") ? whole.replace(USER_INFO, `$1${MASK}@`) : whole);
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at + 1) + maskedQuery(url.slice(at + 1));
}
/** One value that is a secret makes all of its name secret. */
function maskedQuery(text: string): string {
  const query = [...new URLSearchParams(text)];
  const secrets = new Set(query.flatMap(([name, value]) => (isSecret(name) || looksLikeToken(value) ? [name] : [])));
  if (secrets.size === 0) return text;
  return new URLSearchParams(query.map(([name, value]) => [name, secrets.has(name) ? MASK : value])).toString();
}

/** Ids of a request stand in the path it asked; what else is random there came with the host, and may be a key to it. */
function withoutTokens(url: string, asked: string): string {
  const end = url.indexOf("?");
  const place = end < 0 ? url : url.slice(0, end);
  if (!holdsToken(place)) return url;
  const segments = place.split("/");
  const shown = segments.map((segment, i) => (i >= FIRST_OF_PATH && isStray(segment, asked) ? MASK : segment));
  return shown.join("/") + (end < 0 ? "" : url.slice(end));
}
const isToken = (segment: string): boolean => segment.length >= 16 && looksLikeToken(segment);
const isStray = (segment: string, asked: string): boolean => isToken(segment) && !asked.includes(segment);
/** Most requests go to one of a few places, without a token in it. */
const holdsToken = remembered((place) => place.split("/").some(isToken));
/** Behind `https:`, nothing, and the host. */
const FIRST_OF_PATH = 3;

/** Many requests carry the same config. */
const masked = remembered(maskedJson, 100);

/** A config sent in a header may hold provider keys. What looks like JSON and is not is kept out whole, and so is what is too long. */
function maskedJson(text: string): string {
  if (text.length > MAX_JSON) return MASK;
  try {
    return JSON.stringify(withoutSecrets(JSON.parse(text)));
  } catch {
    return MASK; // not readable, so not judgeable
  }
}

const isAddress = (name: string, member: unknown): member is string => typeof member === "string" && /(url|uri|endpoint|host)$/i.test(name);

/** In a member that holds credentials, every text is one; of a URL that is called, whatever may be one is hidden. */
function withoutSecrets(value: unknown, inSecret = false): unknown {
  if (typeof value === "string") return inSecret ? MASK : readable(value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, inSecret));
  if (!isJson(value)) return value;
  const kept: Json = {};
  for (const [name, member] of Object.entries(value))
    kept[name] = withoutSecrets(isAddress(name, member) ? maskUrlIn(member) : member, inSecret || isSecret(name));
  return kept;
}
