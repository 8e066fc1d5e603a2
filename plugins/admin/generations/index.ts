import { Type } from "@sinclair/typebox";
import { definePlugin, defineRoute, type Generations, GatewayError, Nullable, OneOf } from "#contract";

const number = Type.Integer({ minimum: 1, description: "Number of the generation that serves now." });
const PluginState = Type.Object({
  name: Type.String({ description: "`kind/id`" }),
  title: Type.String({ description: "Name shown to people." }),
  version: Type.String({ description: "The plugin's own version." }),
  state: OneOf(["running", "disabled", "failed"], { description: "State." }),
  required: Type.Boolean({ description: "Must run for the deployment to be ready." }),
  isolate: Type.Union([Type.Literal("none"), Type.Literal("process")], {
    description: "Where the checks of a guardrail plugin run: `process` is in processes of their own.",
  }),
  why: Nullable(Type.String({ description: "Why it is not running, or what it lacks." })),
  code: Nullable(Type.String({ description: "Error code when it failed." })),
  needs: Type.Array(Type.String(), { description: "Capabilities it asks for." }),
  provides: Type.Array(Type.String(), { description: "Ids it adds." }),
});

const listPlugins = (generations: Generations) =>
  defineRoute({
    plane: "admin",
    method: "GET",
    path: "/plugins",
    tag: "Plugins",
    summary: "List the plugins of the deployment",
    scope: "generations.list",
    reply: Type.Object({ object: Type.Literal("list"), generation: number, total: Type.Integer(), data: Type.Array(PluginState) }),
    errors: [401, 403],
    handle() {
      const data = generations.states().map(({ name, title, version, state, required, isolate, why, code, needs, provides }) => ({
        name,
        title,
        version,
        state,
        required,
        isolate,
        why,
        code,
        needs: [...needs],
        provides: [...provides],
      }));
      return { object: "list" as const, generation: generations.number, total: data.length, data };
    },
  });

const NotRunning = Type.Array(Type.Object({ name: Type.String(), why: Type.Union([Type.String(), Type.Null()]) }), {
  description: "Plugins that failed in it, and folders in which none could be read, with why.",
});

const reload = (generations: Generations) =>
  defineRoute({
    plane: "admin",
    method: "POST",
    path: "/generations",
    tag: "Plugins",
    summary: "Build the next generation",
    description:
      "Builds the profile as it now is beside the running plugins, swaps, and drains them. When that fails, or when a plugin that runs now would be lost, the answer says why and nothing changes. The deployment's other workers and nodes are told, and each does the same with its own profile file; one that cannot goes on as it was, and its log and its /readyz say why, as do those of the process that was asked.",
    scope: "generations.update",
    query: Type.Object(
      {
        force: Type.Optional(
          Type.Boolean({
            default: false,
            description: "Swap although plugins that run now would be lost. What is required is never done without.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    reply: Type.Object({ number, not_running: Type.Optional(NotRunning) }),
    errors: [400, 401, 403, 500],
    async handle({ caller, query }) {
      if (caller.workspaceId !== null) throw new GatewayError("ACCESS_DENIED", { what: "the deployment's plugins with a workspace key" });
      const { number } = await generations.reload({ force: query.force ?? false });
      const failed = generations.states().filter(({ state }) => state === "failed");
      return failed.length === 0 ? { number } : { number, not_running: failed.map(({ name, why }) => ({ name, why })) };
    },
  });

/** The plugins of the deployment, and building the next generation. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["generations"],
  setup: ({ generations }) => ({ provides: { routes: [listPlugins(generations), reload(generations)] } }),
});
