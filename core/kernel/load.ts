import { existsSync } from "node:fs";
import { Kind, type TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { GatewayError, isJson, type Json, type Manifest, type Plugin } from "#contract";
import { type Candidate, checkHash } from "./candidates.ts";
import { switched } from "./settings/flags.ts";
import { undeclaredNeeds } from "./host.ts";
import { checkContract } from "./manifest.ts";
import type { Profile } from "./settings/profile.ts";
import { firstProblem, type Problem, problems as problemsIn } from "../json/shape.ts";
import { type StepLimits, stepError, runStep } from "./steps.ts";

/** A plugin whose code is loaded and whose configuration is judged; nothing of it is set up yet. */
export interface LoadedPlugin {
  readonly candidate: Candidate;
  readonly plugin: Plugin;
  readonly config: Json;
}
export interface LoadInput {
  readonly profile: Profile;
  /** All plugins there are: interpreters are found here, enabled or not. */
  readonly all: readonly Candidate[];
  readonly limits: StepLimits;
}

/** Manifest -> contract range -> content hash -> module or interpreter -> needs -> configuration. */
export async function loadPlugin(candidate: Candidate, { profile, all, limits }: LoadInput): Promise<LoadedPlugin> {
  judgeFiles(candidate, profile, all);
  const plugin = candidate.load ? await moduleOf(candidate, limits) : await interpreted(candidate, all, limits);
  judgePlugin(candidate, plugin);
  return { candidate, plugin, config: configOf(candidate, plugin) };
}

/** What can be wrong with a plugin before any of its code is loaded. */
export function judgeFiles(candidate: Candidate, profile: Profile, all: readonly Candidate[]): void {
  const { manifest, file, module } = candidate;
  checkContract(manifest);
  checkHash(candidate, profile);
  if (!candidate.load) interpreterOf(candidate, all);
  if (module && !existsSync(module.path))
    throw new GatewayError("PLUGIN_MANIFEST", { file, path: "entry", why: `there is no file ${module.path}` });
}

function interpreterOf({ manifest, file }: Candidate, all: readonly Candidate[]): Candidate {
  const name = `${manifest.kind}/${manifest.extends}`;
  const interpreter = all.find((other) => other.name === name && other.load);
  if (interpreter) return interpreter;
  throw new GatewayError("PLUGIN_MANIFEST", { file, path: "extends", why: `there is no plugin ${name} that could interpret it` });
}

async function moduleOf(candidate: Candidate, limits: StepLimits): Promise<Plugin> {
  const module = await imported(candidate, limits);
  if (!isJson(module.default))
    throw failed(candidate, "import", "the module has no default export; write: export default definePlugin({ … })");
  return module.default as unknown as Plugin; // judged by judgePlugin before anything of it is used
}

async function imported(candidate: Candidate, limits: StepLimits): Promise<Json> {
  try {
    return { ...((await runStep(limits.load, () => candidate.load?.())) as object) }; // a module namespace, as a plain object
  } catch (thrown) {
    throw stepError("PLUGIN_SETUP", candidate, "import", thrown);
  }
}

/** A plugin without code: another one of its kind turns `declare` into a plugin. */
async function interpreted(candidate: Candidate, all: readonly Candidate[], limits: StepLimits): Promise<Plugin> {
  const { manifest, file } = candidate;
  const interpreter = interpreterOf(candidate, all);
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
    throw stepError("PLUGIN_SETUP", candidate, `interpretation by ${name}`, thrown);
  }
}

/** Is this a plugin, of the kind its manifest says, asking for no more than its manifest shows? */
function judgePlugin(candidate: Candidate, plugin: Plugin): void {
  const { manifest } = candidate;
  if (plugin.kind !== manifest.kind)
    throw failed(candidate, "import", `its code is of kind ${String(plugin.kind)}, its manifest says ${manifest.kind}`);
  if (typeof plugin.setup !== "function") throw failed(candidate, "import", "it has no function setup(host, config)");
  if (!isSchema(plugin.config)) throw failed(candidate, "import", "its `config` is no TypeBox object schema; write Type.Object({ … })");
  if (!Array.isArray(plugin.needs)) throw failed(candidate, "import", "it has no list `needs`");
  const undeclared = undeclaredNeeds(manifest, plugin.needs);
  if (undeclared.length > 0)
    throw failed(candidate, "import", `its code asks for ${undeclared.join(", ")}, which its manifest does not name under needs`);
}

const isSchema = (config: unknown): config is TObject => isJson(config) && Kind in config && config["type"] === "object";

/** Text from the environment becomes what the schema says, defaults are filled in, the rest is judged. */
function configOf(candidate: Candidate, { config: schema, problems }: Plugin): Json {
  const { name: plugin, file } = candidate;
  const unknown = Object.keys(candidate.config).find((member) => !(member in schema.properties));
  if (unknown !== undefined && !schema.patternProperties && schema.additionalProperties !== true) {
    throw new GatewayError("PLUGIN_CONFIG", {
      plugin,
      file,
      path: unknown,
      why: `there is no such member; known are ${Object.keys(schema.properties).join(", ") || "none"}`,
    });
  }
  const config = read(schema, candidate.config) as Json; // the schema is an object's, and accepts it below
  const problem = firstProblem(schema, config) ?? problems?.(config)[0];
  if (problem) throw settingError(candidate, schema, problem) ?? new GatewayError("PLUGIN_CONFIG", { plugin, file, ...problem });
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
export async function problemsOfVariables(plugins: readonly Candidate[], limits: StepLimits): Promise<readonly GatewayError[]> {
  const set = plugins.filter(({ settings, origin }) => origin === "built-in" && Object.keys(settings).length > 0);
  return (await Promise.all(set.map((candidate) => problemsOfSettings(candidate, limits)))).flat();
}

async function problemsOfSettings(candidate: Candidate, limits: StepLimits): Promise<readonly GatewayError[]> {
  const plugin = await moduleOf(candidate, limits).catch(() => undefined); // what cannot be loaded is reported by its own boot
  if (!plugin || !isSchema(plugin.config)) return [];
  const schema = plugin.config;
  const config = read(schema, fromEnvironment(candidate)) as Json; // the schema is an object's
  const ofSchema = problemsIn(schema, config).filter(({ path }) => path in candidate.settings);
  const found = ofSchema.length > 0 ? ofSchema : (plugin.problems?.(config) ?? []);
  return found.flatMap((problem) => settingError(candidate, schema, problem) ?? []);
}

const fromEnvironment = ({ settings, config }: Candidate): Json =>
  Object.fromEntries(Object.keys(settings).map((member) => [member, config[member]]));

/** The environment says ON and OFF where a schema wants true and false. */
const spoken = ({ properties }: TObject, config: Json): Json =>
  Object.fromEntries(
    Object.entries(config).map(([member, value]) => {
      const means = typeof value === "string" && properties[member]?.["type"] === "boolean" ? switched(value) : undefined;
      return [member, means ?? value];
    }),
  );

/** What the environment got wrong is told by the variable's name. */
function settingError({ name, settings, config }: Candidate, schema: TObject, { path, why }: Problem): GatewayError | undefined {
  const variable = settings[path];
  const value = schema.properties[path]?.["secret"] === true ? "***" : String(config[path]);
  return variable === undefined
    ? undefined
    : new GatewayError("SETTING_INVALID", { name: variable, value, why: `for ${name}, ${path}: ${why}` });
}

const failed = (candidate: Candidate, step: string, why: string): GatewayError =>
  new GatewayError("PLUGIN_SETUP", { plugin: candidate.name, file: candidate.file, step, why });
