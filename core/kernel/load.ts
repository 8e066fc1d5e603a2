import { existsSync } from "node:fs";
import { Kind, type TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { GatewayError, isJson, type Json, type Manifest, type Plugin } from "#contract";
import type { Isolation } from "../compute/isolated/isolation.ts";
import { checkHash } from "./discovery/deployment.ts";
import { importFault } from "./discovery/import-fault.ts";
import { switched } from "./settings/flags.ts";
import { undeclaredNeeds } from "./host.ts";
import { checkContract } from "./discovery/manifest.ts";
import type { Profile } from "./settings/profile.ts";
import { firstProblem, type Problem, problems as problemsIn } from "../json/shape.ts";
import { type DeployedPlugin, type Stage, type StepLimits, setupError, stepError, runStep } from "./life.ts";

/** Its code and its judged configuration; nothing of it is set up yet. */
type Loaded = Extract<Stage, { at: "loaded" }>;
export interface LoadInput {
  readonly profile: Profile;
  /** All plugins there are: interpreters are found here, enabled or not. */
  readonly all: readonly DeployedPlugin[];
  readonly limits: StepLimits;
  readonly isolation: Isolation | undefined;
}

/** Manifest -> contract range -> content hash -> module or interpreter -> needs -> configuration. */
export async function loadPlugin(deployed: DeployedPlugin, { profile, all, limits, isolation }: LoadInput): Promise<Loaded> {
  judgeFiles(deployed, profile, all);
  const here = deployed.isolate === "process" ? loadedElsewhere(deployed, isolation) : deployed;
  const plugin = here.load ? await moduleOf(here, limits) : await interpreted(here, all, limits);
  judgePlugin(deployed, plugin);
  return { at: "loaded", plugin, config: configOf(deployed, plugin) };
}

/** What can be wrong with a plugin before any of its code is loaded. */
export function judgeFiles(deployed: DeployedPlugin, profile: Profile, all: readonly DeployedPlugin[]): void {
  const { manifest, file, module } = deployed;
  checkContract(manifest);
  checkHash(deployed, profile);
  if (!deployed.load) interpreterOf(deployed, all);
  if (module && !existsSync(module.path))
    throw new GatewayError("PLUGIN_MANIFEST", { file, path: "entry", why: `there is no file ${module.path}; build the plugin first` });
}

function interpreterOf({ manifest, file }: DeployedPlugin, all: readonly DeployedPlugin[]): DeployedPlugin {
  const name = `${manifest.kind}/${manifest.extends}`;
  const interpreter = all.find((other) => other.name === name && other.load);
  if (interpreter) return interpreter;
  throw new GatewayError("PLUGIN_MANIFEST", { file, path: "extends", why: `there is no plugin ${name} that could interpret it` });
}

/** The same, whose code is imported in a process of its own. */
function loadedElsewhere(deployed: DeployedPlugin, isolation: Isolation | undefined): DeployedPlugin {
  const { name, module } = deployed;
  const load = (): Promise<unknown> => {
    if (!isolation) throw new Error("there are no processes here in which it could run");
    return isolation.load({ name, ...(module && { module }) });
  };
  return { ...deployed, load };
}

async function moduleOf(deployed: DeployedPlugin, limits: StepLimits): Promise<Plugin> {
  const module = await imported(deployed, limits);
  if (!isJson(module.default))
    throw setupError(deployed, "import", "the module has no default export; write: export default definePlugin({ … })");
  return module.default as unknown as Plugin; // judged by judgePlugin before anything of it is used
}

async function imported(deployed: DeployedPlugin, limits: StepLimits): Promise<Json> {
  try {
    return { ...((await runStep(limits.load, () => deployed.load?.())) as object) }; // a module namespace, as a plain object
  } catch (thrown) {
    throw stepError("PLUGIN_SETUP", deployed, "import", importFault(thrown));
  }
}

/** A plugin without code: another one of its kind turns `declare` into a plugin. */
async function interpreted(deployed: DeployedPlugin, all: readonly DeployedPlugin[], limits: StepLimits): Promise<Plugin> {
  const { manifest, file } = deployed;
  const interpreter = interpreterOf(deployed, all);
  const { name } = interpreter;
  const { interpret } = await imported(interpreter, limits);
  if (typeof interpret !== "function")
    throw new GatewayError("PLUGIN_MANIFEST", {
      file,
      path: "extends",
      why: `${name} interprets nothing; its module exports no function interpret(manifest)`,
    });
  try {
    return await runStep(limits.load, () => (interpret as (manifest: Manifest) => Plugin)(manifest));
  } catch (thrown) {
    throw stepError("PLUGIN_SETUP", deployed, `interpretation by ${name}`, thrown);
  }
}

/** Is this a plugin, of the kind its manifest says, asking for no more than its manifest shows? */
function judgePlugin(deployed: DeployedPlugin, plugin: Plugin): void {
  const { manifest } = deployed;
  if (plugin.kind !== manifest.kind)
    throw setupError(deployed, "import", `its code is of kind ${String(plugin.kind)}, its manifest says ${manifest.kind}`);
  if (typeof plugin.setup !== "function") throw setupError(deployed, "import", "it has no function setup(host, config)");
  if (!isSchema(plugin.config)) throw setupError(deployed, "import", "its `config` is no TypeBox object schema; write Type.Object({ … })");
  if (!Array.isArray(plugin.needs)) throw setupError(deployed, "import", "it has no list `needs`");
  const undeclared = undeclaredNeeds(manifest, plugin.needs);
  if (undeclared.length > 0)
    throw setupError(deployed, "import", `its code asks for ${undeclared.join(", ")}, which its manifest does not name under needs`);
}

const isSchema = (config: unknown): config is TObject => isJson(config) && Kind in config && config["type"] === "object";

/** Text from the environment becomes what the schema says, defaults are filled in, the rest is judged. */
function configOf(deployed: DeployedPlugin, { config: schema, problems }: Plugin): Json {
  const { name: plugin, file } = deployed;
  const unknown = Object.keys(deployed.given).find((member) => !(member in schema.properties));
  if (unknown !== undefined && !schema.patternProperties && schema.additionalProperties !== true) {
    throw new GatewayError("PLUGIN_CONFIG", {
      plugin,
      file,
      path: unknown,
      why: `there is no such member; known are ${Object.keys(schema.properties).join(", ") || "none"}`,
    });
  }
  const config = read(schema, deployed.given) as Json; // the schema is an object's, and accepts it below
  const problem = firstProblem(schema, config) ?? problems?.(config)[0];
  if (problem) throw settingError(deployed, schema, problem) ?? new GatewayError("PLUGIN_CONFIG", { plugin, file, ...problem });
  return config;
}

/** Texts become what the schema says, and defaults are filled in. */
const read = (schema: TObject, config: Json): unknown =>
  Value.Default(schema, Value.Convert(schema, spoken(schema, structuredClone(config))));

/**
 * What is wrong with the values that the environment gives to built-in plugins, by the variables' names; also to those that
 * are off: a wrong value should not wait for the day they are switched on. Code of other plugins is run by their own boot
 * only, once its hash is known.
 */
export async function problemsOfVariables(plugins: readonly DeployedPlugin[], limits: StepLimits): Promise<readonly GatewayError[]> {
  const set = plugins.filter(({ settings, origin }) => origin === "built-in" && Object.keys(settings).length > 0);
  return (await Promise.all(set.map((deployed) => problemsOfSettings(deployed, limits)))).flat();
}

async function problemsOfSettings(deployed: DeployedPlugin, limits: StepLimits): Promise<readonly GatewayError[]> {
  const plugin = await moduleOf(deployed, limits).catch(() => undefined); // what cannot be loaded is reported by its own boot
  if (!plugin || !isSchema(plugin.config)) return [];
  const schema = plugin.config;
  const config = read(schema, fromEnvironment(deployed)) as Json; // the schema is an object's
  const ofSchema = problemsIn(schema, config).filter(({ path }) => path in deployed.settings);
  const found = ofSchema.length > 0 ? ofSchema : (plugin.problems?.(config) ?? []);
  return found.flatMap((problem) => settingError(deployed, schema, problem) ?? []);
}

const fromEnvironment = ({ settings, given }: DeployedPlugin): Json =>
  Object.fromEntries(Object.keys(settings).map((member) => [member, given[member]]));

/** The environment says ON and OFF where a schema wants true and false. */
const spoken = ({ properties }: TObject, config: Json): Json =>
  Object.fromEntries(
    Object.entries(config).map(([member, value]) => {
      const means = typeof value === "string" && properties[member]?.["type"] === "boolean" ? switched(value) : undefined;
      return [member, means ?? value];
    }),
  );

/** What the environment got wrong is told by the variable's name. */
function settingError({ name, settings, given }: DeployedPlugin, schema: TObject, { path, why }: Problem): GatewayError | undefined {
  const variable = settings[path];
  const value = schema.properties[path]?.["secret"] === true ? "***" : String(given[path]);
  return variable === undefined
    ? undefined
    : new GatewayError("SETTING_INVALID", { name: variable, value, why: `for ${name}, ${path}: ${why}` });
}
