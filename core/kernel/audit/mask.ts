import { type Collection, isJson, type Json, maskSecrets, type Vault } from "#contract";

/* What an entry shows of a record: what changed, and nothing secret in it. */

type Opening = Pick<Vault, "open">;
const MASK = "*******";
/** Characters of one member that an entry keeps: each entry is read, hashed and exported whole. */
const MAX_MEMBER = 16_384;

/** Members with a secret that must not even be shown sealed, and keyed hashes: with one, guesses at the key can be tried. */
const HIDDEN = /(^|_)(sealed|digest)$|^vault_check$/;
/** Members that hold a credential by their name, in either spelling; names of references and counts of tokens do not. */
const SECRET =
  /(^|_)(secret|password|passwd|passphrase|token|credentials?|authorization|cookie|jwt|(api|secret|access|private|signing|encryption|account)_?key|service_account(_json)?)$/;
export const isSecretName = (name: string): boolean =>
  HIDDEN.test(name) ||
  SECRET.test(
    name
      .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
      .replaceAll("-", "_")
      .toLowerCase(),
  );

export interface Changed {
  readonly before: Json | null;
  readonly after: Json | null;
}

/**
 * Of a record that was made (`before` null), removed (`after` null), or changed: then the members that differ; undefined
 * where nothing but the stamp does.
 */
export function changedIn(before: Json | null, after: Json | null, collection: Collection, vault: Opening): Changed | undefined {
  const names = Object.keys(collection.schema.properties).filter((name) => name !== "last_updated_at" && differs(before, after, name));
  if (names.length === 0) return undefined;
  const shown = (of: Json | null): Json | null =>
    of && Object.fromEntries(names.flatMap((name) => (of[name] === undefined ? [] : [[name, maskedMember(name, of[name], vault)]])));
  return { before: shown(before), after: shown(after) };
}

function differs(before: Json | null, after: Json | null, name: string): boolean {
  if (before === null || after === null) return true;
  return name in after && JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null);
}

function maskedMember(name: string, value: unknown, vault: Opening): unknown {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  if (isSecretName(name)) return MASK;
  const text = JSON.stringify(value);
  if (text.length > MAX_MEMBER) return { left_out: `${text.length} characters` };
  return wellFormed(withoutSecrets(opened(name, value, vault)));
}

/** Sealed secrets and URLs as answers show them; what cannot be opened any more is not shown. */
function opened(name: string, value: unknown, vault: Opening): unknown {
  try {
    return maskSecrets({ [name]: value }, vault)[name];
  } catch {
    return MASK; // sealed under another secret key
  }
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isSecretName(name) && member !== null ? MASK : withoutSecrets(member)]),
  );
}

/** As every database gives it back: without halves of characters. */
const wellFormed = (value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value);

/** A query with the values of secret parameters masked. */
export function maskedQuery(search: string): string | null {
  if (search === "" || search === "?") return null;
  const query = [...new URLSearchParams(search)].map(([name, value]) => [name, isSecretName(name) ? MASK : value]);
  return new URLSearchParams(query).toString().slice(0, MAX_MEMBER);
}
