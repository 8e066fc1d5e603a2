import { GatewayError, isJson, isSealed, type Json } from "#contract";

/**
 * Refuses a config in which a stored credential stands where it was not given for: under another provider or another
 * host. Whoever may edit a config need not know its credentials, and must not be able to have them sent elsewhere.
 */
export function refuseMoved(next: Json, before: Json): void {
  const given = placesIn(before);
  for (const [sealed, places] of placesIn(next)) {
    const known = given.get(sealed);
    const param = known && [...places].find(([place]) => !known.has(place))?.[1];
    if (param === undefined) continue;
    throw new GatewayError(
      "CONFIG_INVALID",
      { why: `a stored credential is not sent to another provider or host: give it again in ${param}` },
      { param },
    );
  }
}

/** Sealed credential -> the destinations it goes to, each with the level that says so. */
type Places = Map<string, Map<string, string>>;

function placesIn(config: Json): Places {
  const places: Places = new Map();
  visit(config, "config", null, places);
  return places;
}

function visit(level: Json, at: string, inherited: unknown, places: Places): void {
  const host = level["custom_host"] ?? inherited;
  const place = JSON.stringify([level["provider"] ?? null, host]);
  for (const sealed of sealedIn(level)) places.set(sealed, (places.get(sealed) ?? new Map()).set(place, at));
  const targets: readonly unknown[] = Array.isArray(level["targets"]) ? level["targets"] : [];
  targets.forEach((target, i) => isJson(target) && visit(target, `${at}.targets[${i}]`, host, places));
}

/** Below a level, its targets apart: those are levels of their own. */
function sealedIn(value: unknown): readonly string[] {
  if (isSealed(value)) return [value.sealed];
  if (Array.isArray(value)) return value.flatMap(sealedIn);
  return isJson(value) ? Object.entries(value).flatMap(([member, inner]) => (member === "targets" ? [] : sealedIn(inner))) : [];
}
