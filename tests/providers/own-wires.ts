/** The four providers that speak a wire of their own, as one asks them: what is sent for a chat request, and what is refused. */
import type { Adapter, AdapterInput, Json, Provider } from "#contract";
import anthropic from "../../providers/anthropic/index.ts";
import bedrock from "../../providers/bedrock/index.ts";
import google from "../../providers/google/index.ts";
import vertex from "../../providers/vertex-ai/index.ts";
import { ask } from "../kit/provider.ts";

const host = { log: () => undefined, now: () => 0 } as never; // no request leaves: nothing else of a host is asked for

export interface OwnWire {
  readonly name: string;
  readonly provider: Provider;
  readonly model: string;
  readonly fields: Json;
}
const wire = (name: string, provider: Provider, model: string, fields: Json = {}): OwnWire => ({ name, provider, model, fields });
const provided = {
  anthropic: (await anthropic.setup(host, {})).provides,
  bedrock: (await bedrock.setup(host, { domain: "amazonaws.com" })).provides,
  google: (await google.setup(host, {})).provides,
  vertex: (await vertex.setup(host, {})).provides,
};
const PROJECT = { vertex_project_id: "acme-1", vertex_region: "us-central1" };

export const ANTHROPIC = wire("anthropic", provided.anthropic, "claude-sonnet-4-5");
export const BEDROCK = wire("bedrock", provided.bedrock, "anthropic.claude-sonnet-4-5-20250929-v1:0");
export const NOVA = wire("bedrock (Nova)", provided.bedrock, "amazon.nova-lite-v1:0");
export const VERTEX_CLAUDE = wire("vertex-ai (Claude)", provided.vertex, "anthropic.claude-sonnet-4-5@20250929", PROJECT);
export const GOOGLE = wire("google", provided.google, "gemini-2.5-flash");
export const VERTEX = wire("vertex-ai", provided.vertex, "gemini-2.5-flash", PROJECT);

export const CLAUDE: readonly OwnWire[] = [ANTHROPIC, BEDROCK, VERTEX_CLAUDE];
export const GEMINI: readonly OwnWire[] = [GOOGLE, VERTEX];
export const EVERY: readonly OwnWire[] = [...CLAUDE, NOVA, ...GEMINI];
export const named = (wires: readonly OwnWire[]): (readonly [string, OwnWire])[] => wires.map((wire) => [wire.name, wire] as const);

export const adapterOf = ({ provider }: OwnWire): Adapter => {
  const { chatComplete } = provider.operations;
  if (!chatComplete) throw new Error("a provider with a wire of its own serves chat");
  return chatComplete;
};
export const asking = ({ fields }: OwnWire, model: string, more: Partial<AdapterInput> = {}): AdapterInput =>
  ask("chatComplete", { fields, apiKey: "key", customHost: null, model }, more);

/** The body that goes out. */
export function sent(wire: OwnWire, body: Json): Json {
  const { model = wire.model, ...more } = body;
  return adapterOf(wire).request?.({ model, messages: [{ role: "user", content: "Hi" }], ...more }, asking(wire, String(model))) ?? {};
}
/** What is thrown instead; `null` when the request went out. */
export function refusal(wire: OwnWire, body: Json): unknown {
  try {
    sent(wire, body);
    return null;
  } catch (thrown) {
    return thrown;
  }
}
