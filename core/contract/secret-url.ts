import { isUuid } from "./uuid.ts";

/*
 * URLs may hold a secret in four places: before the host, in the values of the query, in the fragment, and as a segment
 * of the path that is a token by its looks. Taken apart as text, so that what is not hidden stays as it was written.
 */

/** What stands for a hidden part; written back, it keeps the part that is stored. */
const HIDDEN = "***";

interface Parts {
  /** `https://`, and what those who parse it take for that. */
  readonly scheme: string;
  /** `user:password`, when there is one. */
  readonly user: string | undefined;
  readonly host: string;
  /** Its segments and what parts them, as written. */
  readonly path: readonly string[];
  /** `name=value`, as written. */
  readonly query: readonly string[];
  readonly fragment: string | undefined;
}
/** As URLs are parsed: white space before one counts for nothing, nor do tabs and line ends in it, and a backslash is a slash. */
const FORM = /^([\0-\x20]*(?:https?:|[a-z][a-z0-9+.\t\n\r-]*:[\\/])[\\/\t\n\r]*)(?:([^/\\?#]*)@)?([^/\\?#@]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;
const BREAK = /([/\\])/;

function partsOf(url: string): Parts | undefined {
  const [whole, scheme = "", user, host = "", path = "", query, fragment] = FORM.exec(url) ?? [];
  if (whole === undefined) return undefined;
  return {
    scheme,
    user,
    host,
    path: path.split(BREAK),
    query: query === undefined ? [] : query.slice(1).split("&"),
    fragment: fragment?.slice(1),
  };
}
const textOf = ({ scheme, user, host, path, query, fragment }: Parts): string =>
  scheme +
  (user === undefined ? "" : `${user}@`) +
  host +
  path.join("") +
  (query.length === 0 ? "" : `?${query.join("&")}`) +
  (fragment === undefined ? "" : `#${fragment}`);

const isRandom = (piece: string): boolean =>
  (piece.length >= 16 && /\d/.test(piece) && /[a-z]/i.test(piece)) || (piece.length >= 20 && SCATTERED.test(piece) && /[a-z]/.test(piece));
/** Capitals all over. */
const SCATTERED = /(?:[A-Z][^A-Z]*){4}/;
/** A UUID, or a piece without a break that is long and of letters and digits, or capitals, both: the name of a model or a place is not. */
export const looksLikeToken = (text: string): boolean => isUuid(text) || text.split(/[^A-Za-z0-9]/).some(isRandom);

/** What says of itself that it is called from outside: whoever knows its address may call it, so that short codes in it are secrets too. */
const HOOK_HOST = /(^|[.-])(web)?hooks?([.-]|$)/i;
const HOOK = /^(web)?hooks?$/i;
const isCode = (segment: string): boolean => /\d/.test(segment) && !/^v\d+$/i.test(segment);

function pathShown({ host, path }: Pick<Parts, "host" | "path">): readonly string[] {
  const from = HOOK_HOST.test(host) ? 0 : path.findIndex((segment) => HOOK.test(segment));
  return path.map((segment, i) => (looksLikeToken(segment) || (from >= 0 && i >= from && isCode(segment)) ? HIDDEN : segment));
}
/** A pair without a value may be one. */
function pairShown(pair: string): string {
  const at = pair.indexOf("=");
  if (at < 0) return pair === "" ? "" : HIDDEN;
  return at === pair.length - 1 ? pair : `${pair.slice(0, at)}=${HIDDEN}`;
}

/** A URL as people may see it; any other text as it is. */
export function maskUrl(url: string): string {
  const parts = partsOf(url);
  if (parts === undefined) return url;
  return textOf({
    ...parts,
    user: parts.user === undefined ? undefined : HIDDEN,
    path: pathShown(parts),
    query: parts.query.map(pairShown),
    fragment: parts.fragment === undefined || parts.fragment === "" ? parts.fragment : HIDDEN,
  });
}

/** What may be a URL, wherever in a text it begins: refused for its form, it is no less an address with a secret in it. */
const ADDRESS = /[a-z][a-z0-9+.-]{0,20}:[\\/].*|https?:.*/is;
/** A text that was meant as a URL, as people may see it. */
export const maskUrlIn = (text: string): string => text.replace(ADDRESS, (address) => maskUrl(address));

export const isAbsoluteUrl = (text: string): boolean => FORM.test(text);
export const holdsUrlSecret = (url: string): boolean => maskUrl(url) !== url;
/** Has a part of it been written back as it was shown? */
export function holdsHidden(url: string): boolean {
  const parts = partsOf(url);
  if (parts === undefined) return false;
  return parts.user === HIDDEN || parts.fragment === HIDDEN || parts.path.includes(HIDDEN) || parts.query.some(isHidden);
}

/** Where a URL leads, as far as people may see it: scheme, host and path. Hidden parts of it do not matter. */
export function placeOfUrl(url: string): string {
  const parts = partsOf(url);
  if (parts === undefined) return url;
  return `${parts.scheme}${parts.host}`.toLowerCase() + pathShown(parts).join("");
}

/** The parts of a URL that would be secrets wherever they appeared. */
export function urlTokens(url: string): readonly string[] {
  const { path = [], query = [], user, fragment } = partsOf(url) ?? {};
  const values = query.map((pair) => pair.slice(pair.indexOf("=") + 1));
  return [...path, ...values, ...(user?.split(":") ?? []), fragment ?? ""].filter(looksLikeToken);
}

/**
 * The URL with its hidden parts taken from the stored one: parameter by parameter, and only when both lead to the same
 * place, for whoever writes it need not know them. `undefined` when a part is not stored there.
 */
export function restoreUrl(written: string, stored: string): string | undefined {
  const [to, from] = [partsOf(written), partsOf(stored)];
  if (!to || !from || to.scheme.toLowerCase() !== from.scheme.toLowerCase() || to.host.toLowerCase() !== from.host.toLowerCase())
    return undefined;
  const hidden = pathShown(from);
  const path = to.path.map((segment, i) => (segment === HIDDEN && hidden[i] === HIDDEN ? (from.path[i] ?? "") : segment));
  if (path.join("") !== from.path.join("")) return undefined;
  const user = to.user === HIDDEN ? from.user : to.user;
  const fragment = to.fragment === HIDDEN ? from.fragment : to.fragment;
  const query = restoredQuery(to.query, from.query);
  if (query === undefined || (to.user === HIDDEN && user === undefined) || (to.fragment === HIDDEN && fragment === undefined))
    return undefined;
  return textOf({ ...to, path, user, fragment, query });
}

/** Hidden values of one name are taken in their order. */
function restoredQuery(written: readonly string[], stored: readonly string[]): readonly string[] | undefined {
  const left = [...stored];
  const restored: string[] = [];
  for (const pair of written) {
    const at = isHidden(pair) ? left.findIndex((candidate) => pairShown(candidate) === pair) : -1;
    if (isHidden(pair) && at < 0) return undefined;
    restored.push(at < 0 ? pair : (left.splice(at, 1)[0] ?? ""));
  }
  return restored;
}
const isHidden = (pair: string): boolean => pair === HIDDEN || pair.endsWith(`=${HIDDEN}`);
