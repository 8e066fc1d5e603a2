import { type Adapter, type AdapterInput, isJson, type Json } from "#contract";
import type { Declare } from "./declare.ts";
import { at } from "./path.ts";
import { completedChunk, completedMessage } from "./tidy.ts";

type Change = (answer: Json, ask: AdapterInput) => Json;

/**
 * Puts a whole answer into the plain chat form: usage where it belongs, finish reasons in OpenAI's words (the provider's
 * own when the client is not strict), tool calls complete, content a text. An answer that is in that form already comes
 * back as the same object.
 */
export function tidying(declare: Declare): Change {
  const translated = translating(declare);
  return (body, ask) =>
    translated(
      withChoices(body, (choice) => completedMessage(choice, body, ask)),
      ask,
    );
}

/** The same for the chunks of a stream. */
export function tidyingChunks(declare: Declare): NonNullable<Adapter["chunk"]> {
  const translated = translating(declare);
  return (chunk, ask, memory) =>
    translated(
      withChoices(chunk, (choice) => completedChunk(choice, chunk, ask, memory)),
      ask,
    );
}

/** Any server may number the calls of its streams in a way of its own, where it was given tools to call. */
export function strays({ finish, usageAt, contentInParts }: Declare): NonNullable<Adapter["strays"]> {
  const always = finish !== undefined || usageAt !== undefined || contentInParts === true;
  return ({ tools }) => always || (Array.isArray(tools) && tools.length > 0);
}

const translating =
  ({ finish, usageAt }: Declare): Change =>
  (answer, { strict }) => {
    const complete = withUsage(answer, usageAt);
    return finish && strict ? withReasons(complete, finish) : complete;
  };

function withUsage(answer: Json, path: string | undefined): Json {
  if (path === undefined || isJson(answer["usage"])) return answer;
  const usage = at(answer, path);
  return isJson(usage) ? { ...answer, usage } : answer;
}

const withReasons = (answer: Json, names: Readonly<Record<string, string>>): Json =>
  withChoices(answer, (choice) => {
    const { finish_reason: reason } = choice;
    const name = typeof reason === "string" ? names[reason] : undefined;
    return name === undefined ? choice : { ...choice, finish_reason: name };
  });

/** The answer with each choice changed; the same object when none is. */
function withChoices(answer: Json, change: (choice: Json) => Json): Json {
  const choices: unknown = answer["choices"];
  if (!Array.isArray(choices)) return answer;
  const changed = choices.map((choice: unknown) => (isJson(choice) ? change(choice) : choice));
  return changed.every((choice, index) => choice === choices[index]) ? answer : { ...answer, choices: changed };
}
