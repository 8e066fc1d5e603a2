import {
  AWAITED,
  type Catalog,
  type CatalogCheck,
  type Check,
  CheckFault,
  GatewayError,
  GENERAL_PARAMETERS,
  type HeaderClasses,
  isJson,
  type Manifest,
  messageOf,
  type Provider,
} from "#contract";
import { nothingSpent } from "../compute/allowance.ts";
import type { IsolatedCheck } from "../compute/isolated/described.ts";
import type { Compute } from "../compute/pool.ts";
import type { PackSource } from "../compute/work.ts";
import { type FindCredentials, withoutCredentials } from "./credentials.ts";
import type { Assembled, LoadedCheck, Provided } from "./generation.ts";
import { defaulter } from "../json/defaults.ts";
import { acceptor, firstProblem, problems, strayMembers } from "../json/shape.ts";
import { indexed, ROOT } from "../json/validate.ts";
import { markOf } from "./process/watchdog/marks.ts";

/** A check with its parameters' validator, compiled when it is first asked for. */
export function loadedCheck(
  source: PackSource,
  check: Check,
  compute: Compute,
  credentials: FindCredentials = withoutCredentials(source.name),
): LoadedCheck {
  const accepts = acceptor(check.params);
  let filled: ((parameters: unknown) => unknown) | undefined;
  return {
    source,
    mark: markOf(source.name),
    check,
    credentials,
    defaults: (parameters) => (filled ??= defaulter(check.params))(parameters ?? {}),
    idle: (parameters) => idleParameters(check, parameters),
    problems(parameters, tenant, mapped = NONE_MAPPED) {
      if (!accepts(parameters))
        return problems(check.params, parameters)
          .filter(({ path }) => !mapped.has(memberAt(path)))
          .map(({ path, why }) => `${check.id}: ${path}: ${why}`);
      if (isElsewhere(check)) return beyondSchemaInItsProcess(check, parameters, tenant);
      if (check.cost === undefined) return beyondSchema(check, parameters);
      if (JSON.stringify(parameters).length > MAX_PARAMETER_CHARS)
        return [`${check.id}: the parameters have more than ${MAX_PARAMETER_CHARS} characters as JSON`];
      const cheap = compute.takesHere(check.cost(parameters as never, 0), nothingSpent(), Date.now()); // the check's own schema has accepted them
      return cheap ? beyondSchema(check, parameters) : beyondSchemaElsewhere({ source, check, parameters, tenant }, compute);
    },
  };
}
const NONE_MAPPED: ReadonlySet<string> = new Set();
/** The parameter that a problem is of: `/headers/x` is within `headers`. */
const memberAt = (path: string): string => path.split(/[/.[]/).find((part) => part !== "") ?? "";
/** Parameters of a check that may run in another process are sent there. */
const MAX_PARAMETER_CHARS = 1_000_000;

interface Question {
  readonly source: PackSource;
  readonly check: Check;
  readonly parameters: unknown;
  readonly tenant: string;
}
async function beyondSchemaElsewhere({ source, check, parameters, tenant }: Question, compute: Compute): Promise<readonly string[]> {
  const answer = await compute.elsewhere({
    pack: source,
    check: check.id,
    ask: "problems",
    params: parameters,
    side: "input",
    text: "",
    now: 0,
    tenant,
    deadlineMs: Infinity,
    signal: null,
  });
  if (answer.kind === "problems") return answer.problems;
  if (answer.kind === "verdict") return [`${check.id}: its parameters could not be judged`];
  if (answer.class === "busy")
    throw new GatewayError("NOT_READY", { why: `the parameters of ${check.id} could not be judged: ${answer.message}` });
  return [`${check.id}: its parameters could not be judged: ${answer.message}`];
}

type AskedElsewhere = Required<IsolatedCheck>;
const isElsewhere = (check: IsolatedCheck): check is AskedElsewhere => check.problemsElsewhere !== undefined;
async function beyondSchemaInItsProcess(
  { id, problemsElsewhere }: AskedElsewhere,
  parameters: unknown,
  tenant: string,
): Promise<readonly string[]> {
  try {
    return await problemsElsewhere(parameters, tenant);
  } catch (thrown) {
    if (CheckFault.is(thrown) && thrown.errorClass === "busy")
      throw new GatewayError("NOT_READY", { why: `the parameters of ${id} could not be judged: ${thrown.message}` });
    return [`${id}: its parameters could not be judged: ${messageOf(thrown)}`];
  }
}

function beyondSchema(check: Check, parameters: unknown): readonly string[] {
  try {
    return check.problems?.(parameters as never) ?? []; // the check's own schema has accepted them
  } catch (thrown) {
    return [`${check.id}: its parameters could not be judged: ${messageOf(thrown)}`];
  }
}

/** What a catalogue reads: a generation, or one that is being built. */
export type Offers = Pick<Assembled, "providers" | "checks" | "credentials" | "secretManagers" | "strategies" | "config" | "scopes">;

type Installed = { readonly manifest: Pick<Manifest, "kind" | "id"> };

/** What the generation offers, for plugins; asked at request time, when everything is there. */
export function catalogOf(offers: () => Offers, plugins: readonly Installed[], headers: HeaderClasses): Catalog {
  return {
    providers: () => [...offers().providers.values()].map(inCatalog),
    providerIds: () => plugins.filter(({ manifest }) => manifest.kind === "provider").map(({ manifest }) => manifest.id),
    check(id) {
      const loaded = offers().checks.get(id);
      return loaded && catalogCheck(loaded);
    },
    checks: () => [...new Set(offers().checks.values())].map(catalogCheck),
    credentials: () => offers().credentials,
    secretManagers: () => new Map([...offers().secretManagers].map(([type, { auth }]) => [type, auth])),
    strategies: () => [...offers().strategies.keys()],
    scopes: () => offers().scopes,
    judgeConfig: (config, only) => offers().config.judge(config, only ?? "written"),
    headers,
  };
}

const inCatalog = ({ manifest, provides }: Provided<Provider>): ReturnType<Catalog["providers"]>[number] => ({
  id: manifest.id,
  title: manifest.title,
  operations: Object.keys(provides.operations),
  ...(provides.models && { models: provides.models }),
  target: provides.target as ReturnType<Catalog["providers"]>[number]["target"], // a provider's target is an object schema
});

const catalogCheck = ({ check, defaults, idle, problems: judge }: LoadedCheck): CatalogCheck => ({
  id: check.id,
  title: check.title,
  on: check.on,
  targets: check.targets ?? ["llm"],
  secrets: secretsOf(check.params),
  problems(parameters, tenant, mapped) {
    const unused = idle(parameters);
    return unused.length > 0 ? unused : judge(defaults(parameters), tenant, mapped);
  },
  wrongMember(parameters) {
    const [stray] = idleMembers(check.params, parameters);
    const path = stray ?? firstProblem(check.params, defaults(parameters))?.path;
    return path === undefined || path === ROOT ? undefined : indexed(path.slice(0, 255));
  },
});

const secretsOf = ({ properties }: Check["params"]): readonly string[] =>
  isJson(properties) ? Object.keys(properties).filter((name) => isJson(properties[name]) && properties[name]["secret"] === true) : [];

const idleMembers = (params: Check["params"], parameters: unknown): readonly string[] =>
  strayMembers(params, parameters).filter((member) => !GENERAL.has(member));
/** Parameters that neither the check nor the host obeys: they would be silently idle. */
function idleParameters({ id, params }: Check, parameters: unknown): readonly string[] {
  return idleMembers(params, parameters).map((member) => {
    // Only a check that calls out can forward headers.
    if (member === "forwardHeaders") return `${id} calls nobody, so it takes no forwardHeaders`;
    const would = Object.hasOwn(AWAITED, member) ? `; ${AWAITED[member]} would obey it, which this gateway has not yet` : "";
    const memberNames = Object.keys(isJson(params["properties"]) ? params["properties"] : {});
    return `${id} does not obey the parameter ${member.slice(0, 80)}; it has ${[...memberNames, ...GENERAL].join(", ")}${would}`;
  });
}
const GENERAL: ReadonlySet<string> = new Set(GENERAL_PARAMETERS);
