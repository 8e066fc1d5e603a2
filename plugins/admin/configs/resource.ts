import { Type } from "@sinclair/typebox";
import { Configs, resourceOf, shown } from "#contract";
import { oneDefault, refuseInUse, storedConfig } from "./rules.ts";
import { ConfigVersions } from "./versions.ts";

/** Saved routing configs. Each update makes a new version; credentials inside are sealed and shown masked. */
export const configs = resourceOf(Configs, {
  noun: "config",
  plane: "control",
  path: "/configs",
  tag: "Configs",
  param: "slug",
  by: ["slug", "id"],
  scopes: { families: ["configs"] },
  decidesRoutes: true,
  wrapped: true,
  shows: {
    format: shown(Type.Literal("json"), () => "json" as const, true),
    type: shown(Type.Literal("config"), () => "config" as const, true),
  },
  store: { config: storedConfig },
  versions: { of: ConfigVersions, text: ["config"], object: "config" },
  list: { envelope: "success", page: { default: 1000 }, omit: ["config"] },
  create: {
    description:
      "A credential in a config or target goes to the provider named beside it. Where none is, requests that name a provider of their own are refused; an `@slug` brings its own credential.",
    examples: {
      "One provider, tried again": {
        name: "Sandbox",
        config: { provider: "sandbox", retry: { attempts: 2 } },
      },
      "Another provider when the first fails, with a guardrail": {
        name: "Falls back",
        config: {
          strategy: { mode: "fallback" },
          targets: [{ provider: "openai", api_key: "sk-example" }, { provider: "sandbox" }],
          input_guardrails: [{ "default.regexMatch": { rule: "secret", not: true }, deny: true }],
        },
      },
    },
    body: {
      isDefault: Type.Optional(Type.Integer({ minimum: 0, maximum: 1, default: 0, description: "1 makes it the workspace's default." })),
    },
    make: ({ body }) => ({ record: { is_default: body.isDefault ?? 0 } }),
    after: oneDefault,
    answer: ["id", "version_id", "slug"],
  },
  update: {
    description:
      "A credential sent back masked is kept, as long as its member, the provider, the host and the fields that say where it goes or whom it stands for stay beside it; to change those, give it again.",
    change: (_, { actor }) => ({ updated_by: actor }),
    answer: ["version_id"],
  },
  remove: { description: "Refused while it is a default of a workspace, or the config of a key.", before: refuseInUse },
});
