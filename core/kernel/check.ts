import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { type Catalog, type CatalogCheck, type Check, isJson, messageOf, type Provider } from "#contract";
import type { Loaded, LoadedCheck } from "./generation.ts";
import { problems } from "./shape.ts";

/** A check with its parameters' validator, compiled when it is first asked for. */
export function loadedCheck(plugin: string, check: Check): LoadedCheck {
  let accepts: ((parameters: unknown) => boolean) | undefined;
  return {
    plugin,
    check,
    defaults: (parameters) => Value.Default(check.params, Value.Clone(parameters ?? {})),
    problems(parameters) {
      accepts ??= compiled(check);
      if (!accepts(parameters)) return problems(check.params, parameters).map(({ path, why }) => `${check.id}: ${path}: ${why}`);
      return beyondSchema(check, parameters);
    },
  };
}

function compiled(check: Check): (parameters: unknown) => boolean {
  const validator = TypeCompiler.Compile(check.params);
  return (parameters) => validator.Check(parameters);
}

function beyondSchema(check: Check, parameters: unknown): readonly string[] {
  try {
    return check.problems?.(parameters as never) ?? []; // the check's own schema has accepted them
  } catch (thrown) {
    return [`${check.id}: its parameters could not be judged: ${messageOf(thrown)}`];
  }
}

/** What a catalogue reads: a generation, or one that is being built. */
export interface Offers {
  readonly providers: ReadonlyMap<string, Loaded<Provider>>;
  readonly checks: ReadonlyMap<string, LoadedCheck>;
  readonly strategies: ReadonlyMap<string, unknown>;
}

/** What the generation offers, for plugins; asked at request time, when everything is there. */
export function catalogOf(offers: () => Offers): Catalog {
  return {
    providers: () => [...offers().providers.values()].map(inCatalog),
    check(id) {
      const loaded = offers().checks.get(id);
      return loaded && catalogCheck(loaded);
    },
    checks: () => [...offers().checks.values()].map(catalogCheck),
    strategies: () => [...offers().strategies.keys()],
  };
}

const inCatalog = ({ manifest, provides }: Loaded<Provider>): ReturnType<Catalog["providers"]>[number] => ({
  id: manifest.id,
  title: manifest.title,
  operations: Object.keys(provides.operations),
  ...(provides.models && { models: provides.models }),
  target: provides.target as ReturnType<Catalog["providers"]>[number]["target"], // a provider's target is an object schema
});

const catalogCheck = ({ check, defaults, problems: judge }: LoadedCheck): CatalogCheck => ({
  id: check.id,
  title: check.title,
  on: check.on,
  targets: check.targets ?? ["llm"],
  secrets: secretsOf(check.params),
  problems: (parameters) => [...strayForwarding(check, parameters), ...judge(defaults(parameters))],
});

const secretsOf = ({ properties }: Check["params"]): readonly string[] =>
  isJson(properties) ? Object.keys(properties).filter((name) => isJson(properties[name]) && properties[name]["secret"] === true) : [];

/** Specification 2.6: only a check that calls out can forward headers; elsewhere the parameter would be silently idle. */
const strayForwarding = ({ id, params }: Check, parameters: unknown): readonly string[] =>
  isJson(parameters) && "forwardHeaders" in parameters && !(isJson(params["properties"]) && "forwardHeaders" in params["properties"])
    ? [`${id} calls nobody, so it takes no forwardHeaders`]
    : [];
