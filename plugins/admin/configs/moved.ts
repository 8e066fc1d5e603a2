import type { TSchema } from "@sinclair/typebox";
import {
  type Catalog,
  CONFIG_MEMBERS,
  GatewayError,
  isBound,
  isJson,
  isSealed,
  type Json,
  type MovedSecret,
  refuseMovedSecrets,
  sealedIn,
  type SecretUse,
} from "#contract";

type Providers = ReturnType<Catalog["providers"]>;

/**
 * Refuses a config in which a stored credential stands where it was not given for: in another member, or beside another
 * provider, host or field that the provider's schema marks `bound`. Whoever may edit a config need not know its
 * credentials, and must be able neither to have them sent elsewhere nor to have them stand for somebody else.
 */
export function refuseMoved(next: Json, before: Json, catalog: Pick<Catalog, "providers">): void {
  const isPlace = boundMembers(catalog.providers());
  refuseMovedSecrets(usesIn(next, isPlace), usesIn(before, isPlace), refusal);
}

function refusal({ use, renamed, changes }: MovedSecret<Use>): GatewayError {
  const why = renamed ? "is not read from another member" : `stays with the ${changes.join(", ")} it was given for`;
  const param = `${use.at}.${use.member}`;
  return new GatewayError("CONFIG_INVALID", { why: `a stored credential ${why}: give it again in ${param}` }, { param });
}

/** One credential at one level of a config. */
interface Use extends SecretUse {
  readonly at: string;
}

type IsPlace = (member: string, provider: unknown) => boolean;

function* usesIn(level: Json, isPlace: IsPlace, at = "config", inherited: unknown = null): Generator<Use> {
  const { targets, ...own } = level;
  const host = own["custom_host"] ?? inherited;
  const secrets = sealedIn(own);
  const place = secrets.length === 0 ? {} : placeOf(own, host, isPlace);
  for (const secret of secrets) yield { ...secret, at, place };
  for (const [i, target] of (Array.isArray(targets) ? targets : []).entries())
    if (isJson(target)) yield* usesIn(target, isPlace, `${at}.targets[${i}]`, host);
}

function placeOf(level: Json, host: unknown, isPlace: IsPlace): Json {
  const { provider, virtual_key } = level;
  const bound = Object.entries(level).filter(([member, value]) => !isSealed(value) && isPlace(member, provider));
  return { ...Object.fromEntries(bound), provider, virtual_key, custom_host: host };
}

/** Secrets imply the mark, and are credentials themselves. What no enabled provider knows counts: nobody can say what it does. */
function boundMembers(providers: Providers): IsPlace {
  const byId = new Map(providers.map((provider) => [provider.id, [provider]]));
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
const isMarked = (schemas: readonly TSchema[]): boolean => schemas.length === 0 || schemas.some(isBound);
