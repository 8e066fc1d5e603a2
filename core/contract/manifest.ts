import { type Static, Type } from "@sinclair/typebox";
import { KINDS } from "./plugin.ts";
import { SCOPE_LEVELS } from "./schema/scope.ts";

const Name = Type.String({ pattern: "^[a-z][a-z0-9_-]*$", maxLength: 64 });

const closed = { additionalProperties: false } as const;

/** Whose it is: said once for all parts of a package. */
const SHARED = {
  id: Name,
  version: Type.String({ pattern: "^\\d+\\.\\d+\\.\\d+", description: "The plugin's own semver version." }),
  contract: Type.String({ description: "Semver range of contract versions it works with, e.g. `^1.0.0`." }),
  title: Type.String({ maxLength: 80, description: "Name shown to people." }),
  description: Type.Optional(Type.String({ maxLength: 400 })),
  vendor: Type.Optional(Type.String({ maxLength: 80 })),
  homepage: Type.Optional(Type.String({ format: "uri" })),
  license: Type.Optional(Type.String({ maxLength: 40 })),
};
/** What one plugin is. */
const OWN = {
  kind: Type.Union(
    KINDS.map((kind) => Type.Literal(kind)),
    { description: "What it plugs into." },
  ),
  entry: Type.Optional(
    Type.String({ description: "Module whose default export is the plugin. Absent when `extends` interprets `declare`." }),
  ),
  extends: Type.Optional(Type.String({ description: "Id of the plugin of the same kind that interprets `declare`." })),
  declare: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "Data for the interpreter; validated by its schema." })),
  provides: Type.Optional(
    Type.Array(Type.String(), {
      description: "Ids it adds (check ids, operation ids, strategy modes, paths); conformance compares them with the code.",
    }),
  ),
  bare: Type.Optional(
    Type.Literal(true, {
      description: "Guardrails only: its checks may be named without the pack's id (`contains` for `default.contains`).",
    }),
  ),
  needs: Type.Optional(
    Type.Array(
      Type.String({
        pattern:
          "^(net:.+|secret:[A-Z0-9_]+|records|logs|blobs|kv|counters|feed|vault|catalog|generations|guard|dispatch|mail|prices|credentials)$",
      }),
      {
        description: "Capabilities it asks for.",
      },
    ),
  ),
  requires: Type.Optional(
    Type.Array(Type.String({ pattern: "^[a-z]+/[a-z0-9_-]+$" }), { description: "Plugins (`kind/id`) that must be enabled too." }),
  ),
  scopes: Type.Optional(
    Type.Array(
      Type.Object(
        {
          families: Type.Array(Name, { minItems: 1 }),
          actions: Type.Array(Name, { minItems: 1 }),
          levels: Type.Union(
            SCOPE_LEVELS.map((levels) => Type.Literal(levels)),
            { description: "Which keys may hold them: O organisation service, S workspace service, U workspace user keys." },
          ),
        },
        closed,
      ),
      { description: "Scopes of its own routes, `<family>.<action>`; keys can hold them as long as it is enabled." },
    ),
  ),
  flag: Type.Optional(
    Type.Object(
      {
        env: Type.String({ pattern: "^[A-Z][A-Z0-9_]*$", description: "Environment variable." }),
        when: Type.Union([Type.Literal("not-off"), Type.Literal("set")], {
          description: "`not-off`: on unless the value is OFF. `set`: on only when it has a value.",
        }),
      },
      { additionalProperties: false, description: "A deployment-wide switch." },
    ),
  ),
  env: Type.Optional(
    Type.Record(Type.String({ pattern: "^[A-Z][A-Z0-9_]*$" }), Type.String(), {
      description: "Environment variable -> configuration member it sets.",
    }),
  ),
  isolate: Type.Optional(
    Type.Union([Type.Literal("none"), Type.Literal("process")], {
      default: "none",
      description: "Guardrails only: `process` runs its checks in processes of their own. The profile may say otherwise.",
    }),
  ),
  stability: Type.Optional(
    Type.Union([Type.Literal("experimental"), Type.Literal("stable"), Type.Literal("deprecated")], { default: "stable" }),
  ),
  samples: Type.Optional(
    Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: "Inputs with expected results, run by the conformance kit of the kind.",
    }),
  ),
};

/** `manifest.json`: all an operator reads before any code of the plugin runs. Unknown keys are errors. */
export const Manifest = Type.Object({ ...SHARED, ...OWN }, closed);
export type Manifest = Static<typeof Manifest>;

/** A part of a package: a plugin of its own, with its own kind and entry; id, title and description are the package's unless it says otherwise. */
const Part = Type.Object(
  { ...OWN, id: Type.Optional(SHARED.id), title: Type.Optional(SHARED.title), description: SHARED.description },
  closed,
);
/** The `manifest.json` of a package that brings several plugins: a vendor's provider, guardrails and routes. */
export const PackageManifest = Type.Object(
  {
    ...SHARED,
    parts: Type.Array(Part, { minItems: 1, maxItems: 20, description: "The plugins of the package, each with its kind and entry." }),
  },
  closed,
);
export type PackageManifest = Static<typeof PackageManifest>;

/** `kind/id`, how profiles, logs and errors name a plugin. */
export const pluginName = (manifest: Pick<Manifest, "kind" | "id">): string => `${manifest.kind}/${manifest.id}`;
