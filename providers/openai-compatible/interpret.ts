import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  type Adapter,
  definePlugin,
  type Endpoint,
  GatewayError,
  type Manifest,
  type OperationId,
  type Plugin,
  type Provider,
  type Target,
} from "#contract";
import { batchOutput } from "../wires/openai/batch-output.ts";
import { oneModel } from "../wires/openai/one-model.ts";
import { withoutPackedThoughts } from "../wires/openai/packed-thoughts.ts";
import { strays, tidying, tidyingChunks } from "./answer.ts";
import { Declare } from "./declare.ts";
import { errorReader } from "./error.ts";
import { rewriting } from "./request.ts";

/** Makes the plugin of a manifest that has no code of its own. Throws PLUGIN_MANIFEST when `declare` is not valid. */
export function interpret(manifest: Manifest): Plugin<"provider"> {
  const declare = declared(manifest);
  return definePlugin({
    kind: "provider",
    config: Type.Object({}, { additionalProperties: false }),
    needs: [],
    setup: () => ({ provides: providerOf(manifest.id, declare) }),
  }) as Plugin<"provider">; // `never` needs is the narrowest of all needs
}

function declared(manifest: Manifest): Declare {
  const declare: unknown = manifest.declare ?? {};
  const wrong = Value.Errors(Declare, declare).First();
  if (wrong)
    throw new GatewayError("PLUGIN_MANIFEST", {
      file: `providers/${manifest.id}/manifest.json`,
      path: `declare${wrong.path.replaceAll("/", ".")}`,
      why: wrong.message,
    });
  return declare as Declare; // the line above has checked it
}

function providerOf(id: string, declare: Declare): Provider {
  const conversation: Adapter = {
    ...optional("request", rewriting(id, declare)),
    response: tidying(declare),
    chunk: tidyingChunks(declare),
    strays: strays(declare),
  };
  const adapter = (operation: OperationId): Adapter => ({
    ...OWN[operation],
    ...(CONVERSATIONAL.has(operation) && conversation),
    ...optional("path", declare.paths?.[operation]),
  });
  return {
    target: Type.Object({}, { additionalProperties: false }),
    endpoint: (target) => endpointOf(id, declare, target),
    dialect: ["chat", "completions", "responses"],
    operations: Object.fromEntries((declare.operations ?? ["chatComplete"]).map((operation) => [operation, adapter(operation)])),
    error: errorReader(declare.errorAt),
  };
}

const CONVERSATIONAL: ReadonlySet<OperationId> = new Set<OperationId>(["chatComplete", "complete"]);
const OWN: { readonly [Op in OperationId]?: Adapter } = {
  getBatchOutput: batchOutput(),
  retrieveModel: oneModel,
  deleteModel: oneModel,
  createModelResponse: { request: withoutPackedThoughts },
};

function endpointOf(id: string, declare: Declare, { apiKey, customHost }: Target): Endpoint {
  const baseUrl = customHost?.replace(/\/+$/, "") ?? declare.baseUrl;
  if (baseUrl === undefined)
    throw new GatewayError("TARGET_INVALID", {
      provider: id,
      why: "it has no address of its own; send x-gateway-custom-host, or custom_host in the config",
    });
  return { baseUrl, headers: { ...declare.headers, ...(apiKey !== "" && credential(declare.auth ?? "bearer", apiKey)) } };
}

function credential(auth: NonNullable<Declare["auth"]>, apiKey: string): Record<string, string> {
  if (auth === "none") return {};
  if (auth === "bearer") return { authorization: `Bearer ${apiKey}` };
  if (typeof auth === "string") return { [auth]: apiKey };
  return { [auth.header.toLowerCase()]: `${auth.prefix ?? ""}${apiKey}` };
}

/** `{[name]: value}`, or nothing when there is no value. */
const optional = <K extends string, V>(name: K, value: V | undefined): { readonly [N in K]?: V } =>
  value === undefined ? {} : ({ [name]: value } as { [N in K]: V }); // a computed key widens to string
