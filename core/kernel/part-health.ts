import { type Health, messageOf } from "#contract";
import { isUp, type Member } from "./member.ts";
import type { MissingSecrets } from "./secrets/missing-secrets.ts";

/** Parts of the process that are no plugin (memory, the event loop, …), by name; each puts itself in once, at start. */
export type PartHealth = Map<string, () => Health>;

/** How every part and every running plugin that tells is doing. */
export function healthOf(members: readonly Member[], parts: PartHealth, missing: MissingSecrets): ReadonlyMap<string, Health> {
  const plugins = members.filter(isUp).flatMap(({ candidate, running }) => {
    const lacks = missing.of(candidate.manifest);
    return running?.health || lacks.length > 0 ? [[candidate.name, () => alsoLacking(running?.health?.(), lacks)] as const] : [];
  });
  return new Map([...parts, ...plugins].map(([name, tell]) => [name, told(tell)]));
}

const alsoLacking = (health: Health | undefined, lacks: readonly string[]): Health => ({
  degraded: [],
  ...health,
  lacking: [...(health?.lacking ?? []), ...lacks],
});

/** A part that cannot even tell how it is doing is not doing well. */
function told(tell: () => Health | undefined): Health {
  try {
    return tell() ?? { degraded: [] };
  } catch (thrown) {
    return { degraded: [`It could not say how it is doing: ${messageOf(thrown)}.`] };
  }
}
