import { Kind as TypeBoxKind, type TSchema } from "@sinclair/typebox";
import {
  type Admin,
  type Api,
  type Cache,
  type Check,
  CONFIG_MEMBERS,
  type GuardrailPack,
  isJson,
  isSecretManager,
  type Kind,
  type Manifest,
  isOperationName,
  type OperationName,
  type OperationRoute,
  type Policy,
  type Provider,
  type Route,
  type SecretManager,
  type SecretSource,
} from "#contract";
import { STORAGE_HANDLES } from "./records/stores.ts";

/** What the kernel expects of what a plugin of a kind provides, and the ids it thereby takes. */
export interface KindRules {
  /** What is wrong with its shape, as the end of a sentence; `undefined` when it is right. */
  flaw(provides: Members, manifest: Manifest): string | undefined;
  /** Ids no other plugin may provide, as `what id`: `check default.contains`. */
  claims(provides: unknown): readonly string[];
  /** Ids that the manifest's `provides` has to name. */
  named?(provides: unknown): readonly string[];
}
type Members = Readonly<Record<string, unknown>>;

const isFunction = (value: unknown): boolean => typeof value === "function";
const absentOr =
  (test: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || test(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** The first member that fails its test. */
function members(
  tests: Readonly<Record<string, readonly [test: (value: unknown) => boolean, expected: string]>>,
): (provides: Members) => string | undefined {
  return (provides) => {
    for (const [member, [test, expected]] of Object.entries(tests)) if (!test(provides[member])) return `\`${member}\` must be ${expected}`;
    return undefined;
  };
}
const isRoute = (route: unknown): boolean =>
  isJson(route) &&
  isText(route.method) &&
  typeof route.path === "string" &&
  isText(route.plane) &&
  isFunction(route.handle) &&
  isJson(route.reply) &&
  route.scope !== undefined;
const isPassing = (passing: unknown): boolean => isJson(passing) && isJson(passing.content) && isText(passing.scope);
const isRoutes = (routes: unknown): boolean => isList(routes) && routes.every(isRoute);
const A_ROUTE = "a list of routes with plane, method, path, scope, reply and handle";
const routeId = (route: Route): string => `route ${route.method} ${route.plane} ${route.path}`;
const routesOf = ({ routes = [] }: { readonly routes?: readonly Route[] }): string[] => routes.map(routeId);
const idOf = ({ operation }: OperationRoute): OperationName => (typeof operation === "string" ? operation : operation.id);

const PROVIDER = members({
  target: [isJson, "a schema"],
  endpoint: [isFunction, "a function"],
  operations: [isJson, "an object of adapters"],
  passes: [absentOr(isJson), "an object"],
});
const HOOKS = ["identify", "authorize", "admit", "strategies", "settle"] as const;
const hook = [absentOr(isFunction), "a function"] as const;
const isSchema = (schema: unknown): boolean => isJson(schema) && TypeBoxKind in schema;
const isObjectSchema = (schema: unknown): boolean => isSchema(schema) && isJson((schema as TSchema)["properties"]); // a schema, by the line above
const isStrategy = (strategy: unknown): boolean => isJson(strategy) && isFunction(strategy["try"]) && isObjectSchema(strategy["settings"]);
const strategies = [
  absentOr((all) => isJson(all) && Object.values(all).every(isStrategy)),
  "an object of strategies, each with a schema `settings` and a generator function `try`: use defineStrategy",
] as const;
const ownMembers = (of: unknown): readonly string[] => (isJson(of) ? Object.keys(of) : []);
const isMembers = (members: unknown): boolean => isJson(members) && Object.values(members).every(isSchema);
const obeys = [
  absentOr(
    (parts) =>
      isJson(parts) &&
      absentOr(isMembers)(parts["config"]) &&
      absentOr(isMembers)(parts["strategy"]) &&
      !ownMembers(parts["config"]).some((member) => CONFIG_MEMBERS.has(member)),
  ),
  "an object whose `config` and `strategy` hold schemas by member, none of them a member that the core obeys",
] as const;
/** Each member of a config belongs to one plugin. */
const memberIds = ({ obeys: { config = {}, strategy = {} } = {} }: Pick<Policy, "obeys">): string[] => [
  ...Object.keys(config).map((member) => `config member ${member}`),
  ...Object.keys(strategy).map((member) => `config member strategy.${member}`),
];
const POLICY = members({ identify: hook, authorize: hook, admit: hook, settle: hook, spent: hook, strategies, obeys });
const areKeyHeaders = (names: unknown): boolean =>
  isList(names) && names.every((name) => typeof name === "string" && /^[a-z0-9-]+-api-key$/.test(name));
const API = members({
  operations: [absentOr(isList), "a list"],
  dialects: [absentOr(isList), "a list"],
  routes: [absentOr(isRoutes), A_ROUTE],
  passing: [absentOr(isPassing), "an object with `content` and `scope`"],
  keyHeaders: [absentOr(areKeyHeaders), "a list of header names in lower case that end in `-api-key`"],
  obeys,
});

const areSignIns = (auth: unknown): boolean => isList(auth) && auth.length > 0 && auth.every(isObjectSchema);
const SECRET_SOURCE = members({ scheme: [isText, "the scheme it reads"], read: [isFunction, "a function"] });
const SECRET_MANAGER = members({
  manager: [isText, "the `manager_type` it stands for"],
  auth: [areSignIns, "a list of object schemas, one for each way to sign in"],
  read: [isFunction, "a function"],
});
const changes = [absentOr(isFunction), "a function"] as const;
const OUTCOMES = members({ export: [isFunction, "a function"], changes });
const RECORDS = members({
  record: [isFunction, "a function"],
  withoutBodies: [isFunction, "a function"],
  write: [isFunction, "a function"],
  changes,
});

export const KIND_RULES: { readonly [K in Kind]: KindRules } = {
  provider: {
    flaw: (provides) => PROVIDER(provides) ?? unknownOperation(Object.keys(provides.operations as object)), // an object, by PROVIDER
    claims: () => [],
    named: (provides) => Object.keys((provides as Provider).operations),
  },
  guardrail: {
    flaw: ({ checks, credentials }, manifest) =>
      isList(checks)
        ? (checks.map((check) => checkFlaw(check, manifest.id)).find((flaw) => flaw !== undefined) ??
          credentialsFlaw(credentials, manifest))
        : "`checks` must be a list",
    claims: (provides) => (provides as GuardrailPack).checks.map((check) => `check ${check.id}`),
    named: (provides) => (provides as GuardrailPack).checks.map((check) => check.id),
  },
  storage: {
    flaw: (provides) =>
      STORAGE_HANDLES.some((handle) => isJson(provides[handle]))
        ? undefined
        : `it must provide at least one of ${STORAGE_HANDLES.join(", ")}`,
    claims: () => [],
    named: (provides) => STORAGE_HANDLES.filter((handle) => (provides as Members)[handle] !== undefined),
  },
  policy: {
    flaw: (provides, manifest) =>
      POLICY(provides) ??
      bothWays(provides, manifest) ??
      (HOOKS.some((hook) => provides[hook] !== undefined) ? undefined : `it must have one of ${HOOKS.join(", ")}`),
    claims: (provides) => [
      ...Object.keys((provides as Policy).strategies ?? {}).map((mode) => `strategy ${mode}`),
      ...memberIds(provides as Policy),
    ],
    named: (provides) => Object.keys((provides as Policy).strategies ?? {}),
  },
  cache: {
    flaw: members({
      modes: [(modes) => isList(modes) && modes.every(isText), "a list of cache modes"],
      get: [isFunction, "a function"],
      set: [isFunction, "a function"],
      settings: [absentOr(isObjectSchema), "an object schema"],
    }),
    claims: (provides) => (provides as Cache).modes.map((mode) => `cache mode ${mode}`),
    named: (provides) => (provides as Cache).modes,
  },
  exporter: { flaw: (provides) => (provides["record"] === undefined ? OUTCOMES : RECORDS)(provides), claims: () => [] },
  api: {
    flaw: (provides) =>
      API(provides) ?? unknownOperation(((provides as Api).operations ?? []).map(idOf)) ?? withoutContent(provides as Api),
    claims: (provides) => {
      const { operations = [], dialects = [], passing } = provides as Api;
      return [
        ...operations.map((route) => `operation ${idOf(route)}`),
        ...dialects.map(({ id }) => `dialect ${id}`),
        ...(passing ? ["pass-through"] : []),
        ...routesOf(provides as Api),
        ...memberIds(provides as Api),
      ];
    },
    named: (provides) => ((provides as Api).operations ?? []).map(idOf),
  },
  admin: {
    flaw: members({ resources: [absentOr(isList), "a list"], routes: [absentOr(isRoutes), A_ROUTE] }),
    claims: (provides) => {
      const { resources = [] } = provides as Admin;
      return [...resources.map(({ plane, path, noun }) => `resource ${plane} ${path} ${noun}`), ...routesOf(provides as Admin)];
    },
  },
  price: { flaw: members({ price: [isFunction, "a function"] }), claims: () => [] },
  tokenizer: { flaw: members({ count: [isFunction, "a function"] }), claims: () => [] },
  mail: { flaw: members({ send: [isFunction, "a function"] }), claims: () => [] },
  secret: {
    flaw: (provides) => (provides["manager"] === undefined ? SECRET_SOURCE : SECRET_MANAGER)(provides),
    claims(provides) {
      const plugin = provides as SecretSource | SecretManager;
      return [isSecretManager(plugin) ? `secret manager ${plugin.manager}` : `secret scheme ${plugin.scheme}`];
    },
  },
  console: { flaw: members({ mount: [isText, "a path"], asset: [isFunction, "a function"] }), claims: () => ["the console"] },
};
const unknownOperation = (ids: readonly string[]): string | undefined => {
  const unknown = ids.find((id) => !isOperationName(id));
  return unknown === undefined ? undefined : `there is no operation ${unknown}; one of your own is called <plugin>.<name>`;
};
function withoutContent({ operations = [] }: Api): string | undefined {
  const silent = operations.find(({ content }) => !isJson(content));
  return silent && `the operation ${idOf(silent)} must say in \`content\` what its bodies hold: NO_CONTENT where that is nothing to check`;
}

/** A strategy is missed by the configs that name it, a guard by every request: when one plugin is both, its failure cannot be told. */
function bothWays({ identify, admit }: Members, { provides = [] }: Manifest): string | undefined {
  if (provides.length === 0 || (identify ?? admit) === undefined) return undefined;
  return "it provides routing strategies and also identifies or admits; make two plugins of it, so that either may be missed alone";
}

function checkFlaw(value: unknown, pack: string): string | undefined {
  if (!isJson(value)) return "every check must be an object";
  const check = value as unknown as Partial<Check>; // each member is tested below
  if (!isText(check.id) || !check.id?.startsWith(`${pack}.`)) return `the check id ${String(check.id)} must begin with ${pack}.`;
  if (!isList(check.on) || check.on.length === 0) return `the check ${check.id} must say on which sides it runs`;
  if (!isSchema(check.params)) return `the check ${check.id} must have a TypeBox schema \`params\``;
  return isFunction(check.run) ? undefined : `the check ${check.id} must have a function \`run\``;
}

/** Does the manifest name what the code provides? The sentence says what would be right. */
export function misnamed(manifest: Manifest, provides: unknown): string | undefined {
  const named = KIND_RULES[manifest.kind].named?.(provides);
  if (named === undefined || (manifest.provides === undefined && manifest.kind !== "guardrail")) return undefined;
  const listed = manifest.provides ?? [];
  const missing = named.filter((id) => !listed.includes(id));
  const extra = listed.filter((id) => !named.includes(id));
  if (missing.length > 0) return `its code provides ${missing.join(", ")}, which its manifest does not name under provides`;
  return extra.length > 0 ? `its manifest names ${extra.join(", ")} under provides, which its code does not provide` : undefined;
}

/** Accounts of tenants are asked for where operators see it, and defaults are secrets that the manifest names. */
function credentialsFlaw(credentials: unknown, { needs = [] }: Manifest): string | undefined {
  if (needs.includes("credentials") !== (credentials !== undefined))
    return "its manifest must name `credentials` under needs exactly when it provides `credentials`";
  if (credentials === undefined) return undefined;
  if (!isObjectSchema(credentials)) return "`credentials` must be an object schema";
  const members = Object.values((credentials as TSchema)["properties"] as Record<string, TSchema>); // an object schema, by the line above
  const unnamed = members.map(({ env }) => env as unknown).find((env) => env !== undefined && !needs.includes(`secret:${String(env)}`));
  return unnamed === undefined ? undefined : `its manifest must name secret:${String(unnamed)} under needs`;
}
