import type { Vault } from "./capability.ts";
import { isJson, type Json } from "./json.ts";
import { isAbsoluteUrl } from "./secret-url.ts";

/** How a secret stands inside a stored JSON member; the host opens it where the record is used. */
export interface Sealed {
  readonly sealed: string;
  /** It is a URL: shown with its secret parts hidden, and the rest of it to be read. */
  readonly url?: true;
}
export const isSealed = (value: unknown): value is Sealed =>
  isJson(value) && typeof value["sealed"] === "string" && Object.keys(value).length === (value["url"] === true ? 2 : 1);

/** Members that hold an address, by their names. */
const URL_MEMBER = /(^|[-_a-z])(url|uri|endpoint|host)$/i;
export const isUrl = (member: string, value: unknown): value is string =>
  typeof value === "string" && URL_MEMBER.test(member) && isAbsoluteUrl(value);

/** The JSON with its URLs as they are called and its other secrets sealed: for rules about where a secret goes. */
export const openUrls = (json: Json, vault: Pick<Vault, "open">): Json =>
  mapped(json, (_, value) => (isSealed(value) ? (value.url ? vault.open(value.sealed) : value) : undefined));

/** A copy in which `change` replaced the values it answers for. */
export function mapped(json: Json, change: (member: string, value: unknown) => unknown): Json {
  const sealedMember = (member: string, value: unknown): unknown => {
    const changed = change(member, value);
    if (changed !== undefined) return changed;
    if (Array.isArray(value)) return value.map((item) => sealedMember(member, item));
    return isJson(value) ? mapped(value, change) : value;
  };
  return Object.fromEntries(Object.entries(json).map(([member, value]) => [member, sealedMember(member, value)]));
}

/** Is there such a value, at any depth? */
export const someMember = (json: Json, is: (member: string, value: unknown) => boolean): boolean =>
  Object.entries(json).some(([member, value]) => someValue(member, value, is));
function someValue(member: string, value: unknown, is: (member: string, value: unknown) => boolean): boolean {
  if (is(member, value)) return true;
  if (Array.isArray(value)) return value.some((item) => someValue(member, item, is));
  return isJson(value) && someMember(value, is);
}

/** Looks at every value, at any depth. */
export function eachMember(json: Json, look: (member: string, value: unknown) => void): void {
  someMember(json, (member, value) => {
    look(member, value);
    return false;
  });
}
