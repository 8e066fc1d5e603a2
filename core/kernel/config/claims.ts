import type { TSchema } from "@sinclair/typebox";
import { type Api, type ConfigMembers, isJson, type Members } from "#contract";
import { acceptor } from "../../json/shape.ts";
import type { Assembled, Provided } from "../generation.ts";

/** A member of a config, and who obeys it. */
export interface Claim {
  /** As errors and the document name it: a plugin's `kind/id`, or a provider's title. */
  readonly by: string;
  readonly schema: TSchema;
  accepts(value: unknown): boolean;
}
export type Claims = ReadonlyMap<string, Claim>;

/** The table of all members of configs that plugins obey. The core's own are `ConfigLevel`. */
export interface ConfigClaims {
  readonly config: Claims;
  /** Members of `strategy`, whatever its mode. */
  readonly strategy: Claims;
  /** Members of `strategy`, by mode. */
  readonly modes: ReadonlyMap<string, Claims>;
  /** Members of `cache` beside `mode` and `max_age`, by cache mode. */
  readonly cacheModes: ReadonlyMap<string, Claims>;
  /** Fields of providers' targets, by provider id. */
  readonly providers: ReadonlyMap<string, Claims>;
  /** The same fields by their name: those of one name may belong to several providers. */
  readonly fields: ReadonlyMap<string, readonly Claim[]>;
}

/** What claims are made from; an assembled generation has it. */
export interface Claimants extends Pick<Assembled, "providers" | "policies" | "strategies" | "caches"> {
  readonly apis: readonly Provided<Api>[];
}

export function claimsOf({ providers, policies, apis, strategies, caches }: Claimants): ConfigClaims {
  const obeying = [...policies, ...apis].map(({ name, provides }) => ({ name, obeys: provides.obeys ?? {} }));
  const of = (part: keyof ConfigMembers): Claims => new Map(obeying.flatMap(({ name, obeys }) => [...claims(name, obeys[part] ?? {})]));
  const byProvider = new Map(
    [...providers].map(([id, { manifest, provides }]) => [id, claims(manifest.title, propertiesOf(provides.target))] as const),
  );
  return {
    config: of("config"),
    strategy: of("strategy"),
    modes: new Map([...strategies].map(([mode, { settings }]) => [mode, claims(mode, propertiesOf(settings))])),
    cacheModes: new Map([...caches].map(([mode, { settings }]) => [mode, claims(mode, propertiesOf(settings))])),
    providers: byProvider,
    fields: byName([...byProvider.values()]),
  };
}

const propertiesOf = (schema: TSchema | undefined): Members => (isJson(schema?.["properties"]) ? (schema["properties"] as Members) : {}); // the members of an object schema are schemas

const claims = (by: string, members: Members): Claims =>
  new Map(Object.entries(members).map(([member, schema]) => [member, { by, schema, accepts: acceptor(schema) }]));

function byName(all: readonly Claims[]): ReadonlyMap<string, readonly Claim[]> {
  const found = new Map<string, Claim[]>();
  for (const claimed of all) for (const [member, claim] of claimed) found.set(member, [...(found.get(member) ?? []), claim]);
  return found;
}
