import type { TObject } from "@sinclair/typebox";
import { isJson, type Json } from "./json.ts";

/** A place secrets come from: `env`, `file`, a vault … */
export interface SecretSource {
  /** The part before `:` in a reference such as `env:ACME_KEY`. */
  readonly scheme: string;
  readonly manager?: undefined;
  /** `undefined` when there is no such secret; a throw when it could not be looked up. */
  read(name: string): Promise<string | undefined>;
}

/**
 * A manager of secrets that tenants keep elsewhere: what `manager_type` of a secret reference names. A plugin of the kind
 * `secret` is either a source or a manager.
 */
export interface SecretManager {
  /** What `manager_type` says. */
  readonly manager: string;
  readonly scheme?: undefined;
  /**
   * Ways to sign in, each a closed object schema. Members that are secret say `secret: true`; those that say where the
   * secrets go, or whom they stand for, `bound: true`; addresses have `format: "uri"`.
   */
  readonly auth: readonly TObject[];
  /** `missing` is what the manager itself said no to, as a sentence without any value. A throw when it could not be asked. */
  read(at: SecretPlace, signal: AbortSignal): Promise<ManagedSecret | { readonly missing: string }>;
}
export interface SecretPlace {
  /** Whose reference it is. */
  readonly organisationId: string;
  /** One of the ways of `auth`, with its secrets. */
  readonly auth: Json;
  readonly path: string;
  /** A member of what is kept there; null for all of it, or the only one. */
  readonly key: string | null;
}
export interface ManagedSecret {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
}
export const isSecretManager = (plugin: SecretSource | SecretManager): plugin is SecretManager => plugin.manager !== undefined;

/**
 * A value out of what is kept at one place: the member `key`, the only member, or all of it as JSON. For managers whose
 * secrets are objects.
 */
export function memberOf(kept: Json, key: string | null): ManagedSecret | { readonly missing: string } {
  const [only, ...others] = Object.keys(kept);
  const member = key ?? (others.length === 0 ? only : undefined);
  if (member === undefined) return others.length > 0 ? { value: JSON.stringify(kept) } : { missing: "nothing is kept there" };
  if (!Object.hasOwn(kept, member) || kept[member] === null) return { missing: `what is kept there has no member ${member}` };
  const value = kept[member];
  return { value: typeof value === "string" ? value : JSON.stringify(value) };
}

/** The same out of a text: all of it, or a member where the text is a JSON object. */
export function memberOfText(text: string, key: string | null): ManagedSecret | { readonly missing: string } {
  if (key === null) return { value: text };
  const members = jsonIn(text);
  return members ? memberOf(members, key) : { missing: `what is kept there is no JSON object with a member ${key}` };
}

function jsonIn(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined; // plain text
  }
}
