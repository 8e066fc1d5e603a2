import { Value } from "@sinclair/typebox/value";
import { type Catalog, CONFIG_MEMBERS, GatewayError, isJson, isSealed, type Json } from "#contract";

type Providers = ReturnType<Catalog["providers"]>;

/**
 * Refuses a config in which a stored credential stands where it was not given for: in another member, or beside another
 * provider, host or field that the provider's schema marks `bound`. Whoever may edit a config need not know its
 * credentials, and must be able neither to have them sent elsewhere nor to have them stand for somebody else.
 */
export function refuseMoved(next: Json, before: Json, catalog: Pick<Catalog, "providers">): void {
  const providers = catalog.providers();
  const given = Map.groupBy(usesIn(before, providers), ({ sealed }) => sealed);
  for (const use of usesIn(next, providers)) {
    const known = given.get(use.sealed);
    if (known && !known.some((one) => one.member === use.member && changed(one, use).length === 0)) throw moved(use, known);
  }
}

/** Says what would have to stay: of the places it was given for, the one that differs least. */
function moved(use: Use, known: readonly Use[]): GatewayError {
  const [least = []] = known.map((one) => changed(one, use)).sort((a, b) => a.length - b.length);
  const why = least.length === 0 ? "is not read from another member" : `stays with the ${least.join(", ")} it was given for`;
  const param = `${use.at}.${use.member}`;
  return new GatewayError("CONFIG_INVALID", { why: `a stored credential ${why}: give it again in ${param}` }, { param });
}

/** One credential in one place. */
interface Use {
  readonly sealed: string;
  /** Its path below the level. */
  readonly member: string;
  /** The level it stands in. */
  readonly at: string;
  /** What decides where it goes, and as whom. */
  readonly place: Json;
}

const changed = ({ place: a }: Use, { place: b }: Use): readonly string[] =>
  Object.keys({ ...a, ...b }).filter((member) => !Value.Equal(a[member] ?? null, b[member] ?? null));

function* usesIn(level: Json, providers: Providers, at = "config", inherited: unknown = null): Generator<Use> {
  const { targets, ...own } = level;
  const host = own["custom_host"] ?? inherited;
  const secrets = secretsIn(own);
  const place = secrets.length === 0 ? {} : placeOf(own, host, providers);
  for (const secret of secrets) yield { ...secret, at, place };
  for (const [i, target] of (Array.isArray(targets) ? targets : []).entries())
    if (isJson(target)) yield* usesIn(target, providers, `${at}.targets[${i}]`, host);
}

function placeOf(level: Json, host: unknown, providers: Providers): Json {
  const { provider, virtual_key } = level;
  const own = providers.filter(({ id }) => id === provider);
  const schemas = own.length > 0 ? own : providers;
  const bound = Object.entries(level).filter(([member, value]) => !isSealed(value) && isBound(member, schemas));
  return { ...Object.fromEntries(bound), provider, virtual_key, custom_host: host };
}

/** Secrets imply the mark, and are credentials themselves. What no enabled provider knows counts: nobody can say what it does. */
function isBound(member: string, providers: Providers): boolean {
  if (CONFIG_MEMBERS.has(member)) return false;
  const schemas = providers.flatMap(({ target }) => target?.properties[member] ?? []);
  return schemas.length === 0 || schemas.some((schema) => schema["bound"] === true && schema["secret"] !== true);
}

function secretsIn(value: unknown, member = ""): readonly Pick<Use, "sealed" | "member">[] {
  if (isSealed(value)) return [{ sealed: value.sealed, member }];
  if (!isJson(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => secretsIn(inner, member === "" ? name : `${member}.${name}`));
}
