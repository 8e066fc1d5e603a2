import { GatewayError } from "#contract";

/** A model id (`us.anthropic.claude-…-v1:0`), or the ARN of a model, an inference profile, a prompt. */
const MODEL = /^[a-z0-9][\w.:/-]{0,2047}$/i;

/** The model as one segment of the path. */
export const modelPath = (model: string): string => `/model/${encodeURIComponent(plainModel(model))}`;

/** The model's id; the client may have encoded it already. */
export function plainModel(model: string): string {
  const plain = decoded(model);
  if (!MODEL.test(plain) || plain.includes("..")) throw notAModel();
  return plain;
}
function decoded(model: string): string {
  try {
    return decodeURIComponent(model);
  } catch {
    throw notAModel();
  }
}
const notAModel = (): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    { what: "The model must be a Bedrock model id, such as amazon.nova-lite-v1:0, or the ARN of one or of an inference profile." },
    { param: "model" },
  );
