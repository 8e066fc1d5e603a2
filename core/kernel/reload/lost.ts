import { GatewayError, type Policy } from "#contract";
import type { Generation, Provided } from "../generation.ts";

export interface LostPlugin {
  readonly name: string;
  /** Why the next generation would be without it. */
  readonly why: string;
}
type Plugins = Pick<Generation, "plugins" | "unreadable" | "policies">;

/**
 * Plugins that run now and could not in the next generation, although nobody has taken them away: they fail, or what is in
 * their folder cannot be read any more. One that the profile disables, or whose folder is gone, is no loss but a wish,
 * unless nobody would be left who knows whom to let in: not even an operator, to take the wish back.
 */
export function lostPlugins(now: Plugins, next: Plugins): readonly LostPlugin[] {
  const running = now.plugins.filter(({ state }) => state === "running");
  const identifying = next.policies.some(identifies) ? [] : now.policies.filter(identifies).map(({ name }) => name);
  return running.flatMap(({ name, origin }) => {
    if (identifying.includes(name))
      return [{ name, why: "Without it no policy could tell who asks: the profile must enable it, or another that can." }];
    const after = next.plugins.find((plugin) => plugin.name === name);
    if (after) return after.state === "failed" ? [{ name, why: after.why ?? "it failed" }] : [];
    return next.unreadable.filter((folder) => folder.origin === origin).map(({ why }) => ({ name, why }));
  });
}

const identifies = ({ provides }: Provided<Policy>): boolean => provides.identify !== undefined;

/** Throws RELOAD_REFUSED unless nothing would be lost. */
export function refuseLoss(now: Plugins, next: Plugins): void {
  const lost = lostPlugins(now, next);
  if (lost.length === 0) return;
  const why = lost.map((plugin) => plugin.why).join(" ");
  throw new GatewayError("RELOAD_REFUSED", { lost: lost.map(({ name }) => name).join(", "), why: why.replace(/\.$/, "") });
}
