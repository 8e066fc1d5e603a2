import { GatewayError } from "#contract";

/** The texts to embed, of an `input` in OpenAI's form. */
export function textsOf(input: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (texts.every((text) => typeof text === "string")) return texts;
  const what = "Gemini embeds texts: input must be a string or a list of strings, not tokens.";
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "input" });
}
