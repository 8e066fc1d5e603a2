import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { GatewayError, isJson, type Json, messageOf } from "#contract";
import defaultProfile from "../../../plugins/profiles/default.json" with { type: "json" };
import fullProfile from "../../../plugins/profiles/full.json" with { type: "json" };
import minimalProfile from "../../../plugins/profiles/minimal.json" with { type: "json" };
import type { Environment } from "./settings.ts";
import { firstProblem } from "../../json/shape.ts";

const PluginEntry = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: "Is it part of this deployment? Default: yes, when it is named here." })),
    config: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Its configuration. A string may say `${NAME}` for an environment variable. Variables that the manifest maps win.",
      }),
    ),
    required: Type.Optional(Type.Boolean({ description: "Refuse to start without it. Default: yes for storage and policies." })),
    isolate: Type.Optional(
      Type.Union([Type.Literal("none"), Type.Literal("process")], {
        description: "Guardrails only: where its checks run, whatever its manifest says. `process`: in processes of their own.",
      }),
    ),
    hash: Type.Optional(
      Type.String({
        pattern: "^sha256-[A-Za-z0-9+/]{43}=$",
        description: "Content hash an external plugin must have; `gateway list --json` shows it.",
      }),
    ),
  },
  { additionalProperties: false },
);

/** A deployment profile: which plugins, in which order, with which configuration. */
export const ProfileFile = Type.Object(
  {
    title: Type.String({ maxLength: 80, description: "Name shown to people." }),
    description: Type.Optional(Type.String({ maxLength: 400, description: "What it is for." })),
    extends: Type.Optional(
      Type.String({ description: "Name of a built-in profile, or path of another (relative to this file): what this one starts from." }),
    ),
    plugins: Type.Optional(
      Type.Record(Type.String({ pattern: "^[a-z]+/[a-z][a-z0-9_-]*$" }), PluginEntry, {
        additionalProperties: false,
        description: "By `kind/id`. Their order here is their order within their kind.",
      }),
    ),
    others: Type.Optional(
      Type.Union([Type.Literal("enabled"), Type.Literal("disabled")], { description: "Plugins not named. Default: enabled." }),
    ),
    pluginsDir: Type.Optional(Type.String({ description: "Folder of external plugins (relative to this file)." })),
    order: Type.Optional(Type.Array(Type.String(), { description: "`kind/id` that come first within their kind, in this order." })),
    secrets: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Secret a plugin asks for -> where it is, as `scheme:name`. Default: `env:` and the same name.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ProfileFile = Static<typeof ProfileFile>;
export type PluginEntry = Static<typeof PluginEntry>;

/** A profile with everything it extends folded in. */
export interface Profile {
  /** Built-in name or path, for errors. */
  readonly file: string;
  readonly title: string;
  readonly builtIn: boolean;
  readonly plugins: Readonly<Record<string, PluginEntry>>;
  readonly others: "enabled" | "disabled";
  /** Absolute. */
  readonly pluginsDir: string | null;
  /** `kind/id`, most important first. */
  readonly order: readonly string[];
  readonly secrets: Readonly<Record<string, string>>;
  /** Environment variables that its configurations name. */
  readonly variables?: ReadonlySet<string>;
}

export const BUILT_IN_PROFILES: Readonly<Record<string, unknown>> = { default: defaultProfile, minimal: minimalProfile, full: fullProfile };

/** Reads a profile by built-in name or path, follows `extends`, and fills in environment variables. */
export async function readProfile(nameOrPath: string, env: Environment): Promise<Profile> {
  const { file, builtIn, folded } = await foldProfile(nameOrPath);
  return {
    file,
    builtIn,
    title: folded.title,
    plugins: fillIn(folded.plugins ?? {}, env, file),
    others: folded.others ?? "enabled",
    pluginsDir: folded.pluginsDir ?? null,
    order: folded.order ?? [],
    secrets: folded.secrets ?? {},
    variables: new Set([...JSON.stringify(folded.plugins ?? {}).matchAll(VARIABLE)].map(([, name = ""]) => name)),
  };
}

/** The profile with everything it extends; `${NAME}` still stands where it was written. */
export async function foldProfile(
  nameOrPath: string,
): Promise<{ readonly file: string; readonly builtIn: boolean; readonly folded: ProfileFile }> {
  const chain = await readChain(nameOrPath, process.cwd(), []);
  const { file, builtIn } = chain.at(-1) as Link; // a chain has at least the profile itself
  return { file, builtIn, folded: chain.map((link) => link.own).reduce(fold) };
}

interface Link {
  readonly file: string;
  readonly builtIn: boolean;
  readonly own: ProfileFile;
}

/** The profile and its ancestors, the most distant first. */
async function readChain(nameOrPath: string, folder: string, seen: readonly string[]): Promise<Link[]> {
  const builtIn = Object.hasOwn(BUILT_IN_PROFILES, nameOrPath);
  const file = builtIn ? nameOrPath : resolve(folder, nameOrPath);
  if (seen.includes(file)) throw invalid(file, "extends", `it extends itself: ${[...seen, file].join(" -> ")}`);
  const own = judge(builtIn ? BUILT_IN_PROFILES[nameOrPath] : await readJson(file), file);
  const link = { file, builtIn, own: own.pluginsDir === undefined ? own : { ...own, pluginsDir: resolve(dirname(file), own.pluginsDir) } };
  return own.extends === undefined ? [link] : [...(await readChain(own.extends, dirname(file), [...seen, file])), link];
}

const fold = (base: ProfileFile, own: ProfileFile): ProfileFile => ({
  ...base,
  ...own,
  plugins: foldPlugins(base.plugins ?? {}, own.plugins ?? {}),
  order: [...new Set([...(own.order ?? []), ...(base.order ?? [])])],
  secrets: { ...base.secrets, ...own.secrets },
});

function foldPlugins(base: Profile["plugins"], own: Profile["plugins"]): Profile["plugins"] {
  const folded: Record<string, PluginEntry> = { ...base };
  for (const [name, entry] of Object.entries(own)) {
    folded[name] = { ...base[name], ...entry, config: { ...base[name]?.config, ...entry.config } };
  }
  return folded;
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch(() => {
    throw invalid(file, "(file)", `it cannot be read; give a path, or one of ${Object.keys(BUILT_IN_PROFILES).join(", ")}`);
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(file, "(file)", `it is not JSON: ${messageOf(error)}`);
  }
}

function judge(value: unknown, file: string): ProfileFile {
  const problem = firstProblem(ProfileFile, value);
  if (problem) throw invalid(file, problem.path, problem.why);
  return value as ProfileFile; // the schema has accepted it
}

function fillIn(plugins: Profile["plugins"], env: Environment, file: string): Profile["plugins"] {
  const filled = Object.entries(plugins).map(([name, entry]) => {
    if (!entry.config || entry.enabled === false) return [name, entry] as const;
    const config = filledValue(entry.config, env, file, `plugins.${name}.config`) as Json; // an object stays one
    return [name, { ...entry, config }] as const;
  });
  return Object.fromEntries(filled);
}

/** `${NAME}` */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Replaces `${NAME}` in every string. A variable that is not set is an error: silence would hide a missing secret. */
function filledValue(value: unknown, env: Environment, file: string, path: string): unknown {
  if (typeof value === "string") {
    return value.replace(VARIABLE, (_, name: string) => {
      const text = env[name];
      if (text === undefined) throw invalid(file, path, `the environment variable ${name} is not set`);
      return text;
    });
  }
  if (Array.isArray(value)) return value.map((item, index) => filledValue(item, env, file, `${path}[${index}]`));
  if (isJson(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledValue(item, env, file, `${path}.${key}`)]));
  return value;
}

export const invalid = (file: string, path: string, why: string): GatewayError => new GatewayError("PROFILE_INVALID", { file, path, why });
