import type { Adapter, Json } from "#contract";
import { obeying } from "./answering.ts";
import { idOf } from "./id.ts";
import { beginningOf } from "./message.ts";
import { invalid } from "./missing.ts";
import { play } from "./play.ts";
import { MAX_SAID, type Scenario, scenarioOf } from "./scenario.ts";
import { counted, tokens, words } from "./speech.ts";
import { frame, type Head, usageBody, wantsUsage } from "./wire.ts";

/** Text completions of the offline model: it says each prompt again, unless something else is asked for. */
export const completions = (now: () => number): Adapter => ({
  answer: obeying(async (body, _ask, signal) => {
    const scenario = scenarioOf(body);
    const completions = await completionsOf(body, scenario);
    const head = { id: `cmpl-${idOf(body)}`, created: Math.floor(now() / 1000), model: String(body["model"] ?? "sandbox-echo") };
    if (body["stream"] !== true) return whole(completions, head);
    const wire = play(frames(completions, head, wantsUsage(body)), scenario, signal);
    return new Response(wire, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  }),
});

interface Completions {
  readonly texts: readonly string[];
  readonly usage: Json;
}

/** Completions of all prompts together. */
const MAX_CHOICES = 128;

async function completionsOf(body: Json, scenario: Scenario): Promise<Completions> {
  const prompts = promptsOf(body["prompt"]);
  const count = body["n"] === undefined || body["n"] === null ? 1 : Number(body["n"]);
  if (prompts.length * count > MAX_CHOICES) throw invalid("n", `prompts and n ask for more than ${MAX_CHOICES} completions.`);
  const fixedText = scenario.chunks === undefined ? scenario.text : await counted(scenario.chunks);
  const chars = Math.floor(MAX_SAID / (prompts.length * count));
  const completed = prompts.map((prompt) => [prompt, fixedText ?? beginningOf(prompt, chars)] as const);
  const choices = completed.flatMap((pair) => Array.from({ length: count }, () => pair));
  const [prompt, completion] = [tokens(prompts), tokens(choices.map(([, text]) => text))];
  return {
    texts: choices.map(([given, text]) => (body["echo"] === true ? given + text : text)),
    usage: usageBody({ prompt, completion, reasoning: 0 }),
  };
}

/** Tokens are said as they are written. */
function promptsOf(prompt: unknown): readonly string[] {
  if (prompt === undefined || prompt === null) return ["<|endoftext|>"];
  if (!Array.isArray(prompt)) return [String(prompt)];
  return typeof prompt[0] === "number"
    ? [prompt.join(" ")]
    : prompt.map((entry: unknown) => (Array.isArray(entry) ? entry.join(" ") : String(entry)));
}

const choice = (text: string, index: number, finish_reason: string | null): Json => ({ text, index, logprobs: null, finish_reason });

const whole = ({ texts, usage }: Completions, { id, created, model }: Head): Json => ({
  id,
  object: "text_completion",
  created,
  model,
  choices: texts.map((text, index) => choice(text, index, "stop")),
  usage,
});

/** The frames of a stream, its terminal marker left out. */
function* frames({ texts, usage }: Completions, { id, created, model }: Head, withUsage: boolean): Generator<string> {
  const chunk = (choices: readonly Json[], rest: Json = withUsage ? { usage: null } : {}): string =>
    frame({ id, object: "text_completion", created, model, choices, ...rest });
  for (const [index, text] of texts.entries()) {
    for (const word of words(text)) yield chunk([choice(word, index, null)]);
    yield chunk([choice("", index, "stop")]);
  }
  if (withUsage) yield chunk([], { usage });
}
