import { GatewayError } from "#contract";
import { PROVIDER } from "./target.ts";

export type Publisher = "google" | "anthropic";
export interface VertexModel {
  readonly publisher: Publisher;
  /** The publisher's own name for it. */
  readonly name: string;
}

const SERVED: readonly string[] = ["google", "anthropic"] satisfies Publisher[];
/** Publishers and endpoints whose wires are not spoken here; any other name before a dot is part of a model's name. */
const OTHERS = ["meta", "mistralai", "endpoints", "zai-org", "moonshotai", "qwen", "xai", "deepseek-ai", "openai"];
/** It goes into the URL, so nothing else may be in it. */
const NAME = /^\w[\w.@-]*$/;

/** `anthropic.claude-sonnet-4-5@20250929` -> publisher and name. Without a publisher, Claude is Anthropic's and the rest Google's. */
export function vertexModel(model: string): VertexModel {
  const dot = model.indexOf(".");
  const prefix = model.slice(0, Math.max(dot, 0));
  if (OTHERS.includes(prefix)) throw unserved(prefix);
  const isNamed = SERVED.includes(prefix);
  const name = isNamed ? model.slice(dot + 1) : model;
  if (!NAME.test(name)) throw misnamed();
  if (isNamed) return { publisher: prefix as Publisher, name }; // by the line that judges the prefix
  return { publisher: name.startsWith("claude") ? "anthropic" : "google", name };
}

const unserved = (publisher: string): GatewayError =>
  new GatewayError(
    "OPERATION_UNSUPPORTED",
    { provider: PROVIDER, operation: `models of ${publisher}`, instead: `It serves models of ${SERVED.join(" and ")}` },
    { param: "model" },
  );
const misnamed = (): GatewayError => {
  const what = "The model must be a Vertex AI model id, such as gemini-2.5-flash or anthropic.claude-sonnet-4-5@20250929.";
  return new GatewayError("REQUEST_INVALID", { what }, { param: "model" });
};
