import { type AdapterInput, isJson, type Json } from "#contract";
import type { Declare } from "./declare.ts";
import { at } from "./path.ts";

/**
 * Puts an answer into the plain chat form: usage where it belongs, finish reasons in OpenAI's words (the provider's own
 * when the client is not strict). Serves whole bodies and stream chunks alike; an answer that is in that form already
 * comes back as the same object.
 */
export function tidying({ finish, usageAt }: Declare): ((answer: Json, ask: AdapterInput) => Json) | undefined {
  if (!finish && usageAt === undefined) return undefined;
  return (answer, { strict }) => {
    const complete = withUsage(answer, usageAt);
    return finish && strict ? withReasons(complete, finish) : complete;
  };
}

function withUsage(answer: Json, path: string | undefined): Json {
  if (path === undefined || isJson(answer["usage"])) return answer;
  const usage = at(answer, path);
  return isJson(usage) ? { ...answer, usage } : answer;
}

function withReasons(answer: Json, names: Readonly<Record<string, string>>): Json {
  const choices: unknown = answer["choices"];
  const foreign = (choice: unknown): choice is Json =>
    isJson(choice) && typeof choice["finish_reason"] === "string" && names[choice["finish_reason"]] !== undefined;
  if (!Array.isArray(choices) || !choices.some(foreign)) return answer;
  return {
    ...answer,
    choices: choices.map((choice: unknown) =>
      foreign(choice) ? { ...choice, finish_reason: names[String(choice["finish_reason"])] } : choice,
    ),
  };
}
