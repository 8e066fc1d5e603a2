import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { CacheSettings, ConfigBody, ConfigLevel, DOCUMENTED_CACHE_MODES, OneOf, StrategySettings } from "#contract";
import type { Claim, Claims, ConfigClaims } from "./claims.ts";

/** The shape of a config as the document shows it: the core's members and everything that running plugins claim. */
export function configSchema({ config, strategy, modes, cacheModes, fields }: ConfigClaims): TObject {
  const { $id, description } = ConfigBody;
  const caches = [...new Set([...DOCUMENTED_CACHE_MODES, ...cacheModes.keys()])];
  return Type.Object(
    {
      ...ConfigLevel.properties,
      strategy: optional(part(StrategySettings, [...modes.keys()], [...modes.values(), strategy])),
      cache: optional(part(CacheSettings, caches, [...cacheModes.values()])),
      targets: optional({ ...ConfigLevel.properties.targets, items: { $ref: $id } } as unknown as TSchema), // a target is a config
      ...Object.fromEntries([...config].map(([member, claim]) => [member, optional(claim.schema)])),
      ...Object.fromEntries([...fields].map(([member, claims]) => [member, optional(field(claims))])),
    },
    { $id: String($id), additionalProperties: false, description: String(description) },
  );
}

/** `strategy` or `cache`: its modes by name, and the settings of all of them. */
function part(base: TObject, modes: readonly string[], all: readonly Claims[]): TObject {
  const settings = all.flatMap((claims) => [...claims].map(([member, claim]) => [member, optional(of(claim))] as const));
  const mode = OneOf(modes, { description: "How; further members belong to the mode they name." });
  return Type.Object(
    { ...base.properties, mode, ...Object.fromEntries(settings) },
    { additionalProperties: false, description: String(base.description) },
  );
}

const of = ({ by, schema }: Claim): TSchema => ({ ...schema, description: `${schema.description ?? ""} (${by})` });
const field = (claims: readonly Claim[]): TSchema => {
  const [first] = claims;
  const owners = claims.map(({ by }) => by).join(", ");
  return { ...(first?.schema ?? Type.Unknown()), description: `${first?.schema.description ?? ""} (${owners})` };
};
const optional = (schema: TSchema): TSchema => Type.Optional(schema);
