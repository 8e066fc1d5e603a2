import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Catalog, CONFIG_MEMBERS, GatewayError, isJson, isSealed, type Json } from "#contract";

type Providers = ReturnType<Catalog["providers"]>;

/**
 * Refuses a config in which a stored credential stands where it was not given for: in another member, or beside another
 * provider, host or field that the provider's schema marks `bound`. Whoever may edit a config need not know its
 * credentials, and must be able neither to have them sent elsewhere nor to have them stand for somebody else.
 */
export function refuseMoved(next: Json, before: Json, catalog: Pick<Catalog, "providers">): void {
  const isBound = boundMembers(catalog.providers());
  const given = Map.groupBy(usesIn(before, isBound), ({ sealed }) => sealed);
  const places = new Map<string, ReadonlySet<string>>(); // of those that are used again
  for (const use of usesIn(next, isBound)) {
    const known = given.get(use.sealed);
    if (!known) continue;
    const there = places.get(use.sealed) ?? new Set(known.map(textOf));
    places.set(use.sealed, there);
    if (!there.has(textOf(use))) throw moved(use, known);
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

/** The same for uses of one secret in one member at one place; what is null is not there. */
const textOf = ({ sealed, member, place }: Use): string => JSON.stringify([sealed, member, inOrder(place)]);
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJson(value)) return value;
  const members = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([member, inner]) => [member, inOrder(inner)]);
}

type IsBound = (member: string, provider: unknown) => boolean;

function* usesIn(level: Json, isBound: IsBound, at = "config", inherited: unknown = null): Generator<Use> {
  const { targets, ...own } = level;
  const host = own["custom_host"] ?? inherited;
  const secrets = secretsIn(own);
  const place = secrets.length === 0 ? {} : placeOf(own, host, isBound);
  for (const secret of secrets) yield { ...secret, at, place };
  for (const [i, target] of (Array.isArray(targets) ? targets : []).entries())
    if (isJson(target)) yield* usesIn(target, isBound, `${at}.targets[${i}]`, host);
}

function placeOf(level: Json, host: unknown, isBound: IsBound): Json {
  const { provider, virtual_key } = level;
  const bound = Object.entries(level).filter(([member, value]) => !isSealed(value) && isBound(member, provider));
  return { ...Object.fromEntries(bound), provider, virtual_key, custom_host: host };
}

/** Secrets imply the mark, and are credentials themselves. What no enabled provider knows counts: nobody can say what it does. */
function boundMembers(providers: Providers): IsBound {
  const byId = new Map(providers.map((one) => [one.id, [one]]));
  const schemas = (member: string, of: Providers) => of.flatMap(({ target }) => target?.properties[member] ?? []);
  const judged = new Map<string, boolean>();
  return (member, provider) => {
    if (CONFIG_MEMBERS.has(member)) return false;
    const own = byId.get(String(provider));
    const key = JSON.stringify([member, own?.[0]?.id]);
    const found = judged.get(key) ?? isMarked(schemas(member, own ?? providers));
    judged.set(key, found);
    return found;
  };
}
const isMarked = (schemas: readonly TSchema[]): boolean =>
  schemas.length === 0 || schemas.some((schema) => schema["bound"] === true && schema["secret"] !== true);

function secretsIn(value: unknown, member = ""): readonly Pick<Use, "sealed" | "member">[] {
  if (isSealed(value)) return [{ sealed: value.sealed, member }];
  if (!isJson(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => secretsIn(inner, member === "" ? name : `${member}.${name}`));
}
