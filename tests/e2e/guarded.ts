/** What the tests of guardrails share, whichever dialect their clients speak. */
import { jsonAnswer, type Received, type Replay } from "../kit/replay.ts";

type Json = Readonly<Record<string, unknown>>;

/** A guardrail that denies a text with this word. */
export const denies = (word: string) => [{ id: "words", deny: true, "default.contains": { words: [word], operator: "none" } }];

/** What the webhook answers: the response it was shown, without the word `secret`. */
export function redacted({ json }: Received): Replay {
  const { response } = json() as { response: { json: Json } };
  const without = JSON.parse(JSON.stringify(response.json).replaceAll("secret", "[removed]")) as Json;
  return jsonAnswer({ verdict: true, transformedData: { response: { json: without } } });
}

/** What a call is refused with; promises of the official clients are not the runtime's own, which `rejects` looks into. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return { answered: await call };
  } catch (thrown) {
    return thrown;
  }
}
