import { GatewayError, isJson, type Json } from "#contract";

/** The body, the elements of its lists (messages, documents), and the elements of theirs (parts, calls). */
const LEVELS = 3;

/**
 * Some servers take a member by its name in any case. Where guardrails look on, `Content` beside or in place of `content`
 * would be a text that they do not read and such a server does: it is refused, one level of lists after the other, and in
 * the objects that have such members of their own.
 */
export function refuseOtherSpellings(body: Json, names: Names, inside: Names = NONE, levels = LEVELS): void {
  for (const name in body) {
    refuseOther(name, names);
    const value = body[name];
    if (isJson(value)) {
      if (inside.has(name)) refuseOtherSpellings(value, names, inside, levels);
    } else if (levels > 1 && Array.isArray(value))
      for (const element of value) if (isJson(element)) refuseOtherSpellings(element, names, inside, levels - 1);
  }
}
type Names = ReadonlySet<string>;
const NONE: Names = new Set();

function refuseOther(name: string, names: ReadonlySet<string>): void {
  const usual = name.toLowerCase();
  if (usual !== name && names.has(usual))
    throw new GatewayError(
      "REQUEST_INVALID",
      { what: `The member ${name} is spelled ${usual}. Guardrails look on here, and would not read it as it is.` },
      { param: name },
    );
}
