import { readFile } from "node:fs/promises";
import { isJson, type Json, messageOf } from "#contract";
import { readWords, settingsFor } from "./options.ts";
import { CommandFailed, UsageError } from "./usage.ts";

const COMMAND = "guardrails";
const DEADLINE_MS = 60_000;

/** `gateway guardrails try`: asks the running gateway what a check, or a saved guardrail, says of a text or of bodies. */
export async function guardrails(args: readonly string[]): Promise<number> {
  const { values, words } = readWords(COMMAND, args);
  const [verb, name, ...more] = words;
  if (verb !== "try" || name === undefined || more.length > 0)
    throw new UsageError("gateway guardrails knows one thing to do: gateway guardrails try <check or guardrail>", COMMAND);
  const given = (option: keyof typeof values): string | undefined => values[option]?.filter((value) => value !== true).at(-1);
  const key = given("key") ?? process.env["GATEWAY_KEY"];
  if (key === undefined)
    throw new UsageError("gateway guardrails needs a key with the scope guardrails.invoke: --key, or GATEWAY_KEY.", COMMAND);
  const { host, port } = settingsFor(values);
  const body = { ...toRun(name, given("parameters")), ...(await shownTo(given, values.answer !== undefined)) };
  return shown(await answerOf(given("url") ?? `http://${host}:${port}`, key, body));
}

/** Ids of checks have a dot, slugs and ids of guardrails have none. */
function toRun(name: string, parameters: string | undefined): Json {
  if (name.includes("."))
    return { checks: [{ id: name, ...(parameters !== undefined && { parameters: json("--parameters", parameters) }) }] };
  if (parameters === undefined) return { guardrail: name };
  throw new UsageError(`The guardrail ${name} has parameters of its own; --parameters are a check's.`, COMMAND);
}

type Given = (option: "text" | "request" | "response" | "type") => string | undefined;
/** The bodies that are judged: files, or a text as a chat message or answer. */
async function shownTo(given: Given, answer: boolean): Promise<Json> {
  const [text, request, response] = [given("text"), given("request"), given("response")];
  if (text === undefined && request === undefined && response === undefined)
    throw new UsageError("Nothing is there to judge: give it --text, or --request and --response with files.", COMMAND);
  const says = { role: answer ? "assistant" : "user", content: text ?? "" };
  const asked = request === undefined ? { messages: answer ? [] : [says] } : await fileOf("--request", request);
  const replied = response === undefined ? { choices: [{ index: 0, message: says }] } : await fileOf("--response", response);
  const judgesAnswer = answer || response !== undefined;
  return {
    event: judgesAnswer ? "afterRequestHook" : "beforeRequestHook",
    request_type: given("type") ?? "chatComplete",
    request: { json: asked },
    ...(judgesAnswer && { response: { json: replied } }),
  };
}
async function fileOf(option: string, path: string): Promise<Json> {
  const text = await readFile(path, "utf8").catch((thrown: unknown) => {
    throw new UsageError(`The file of ${option} cannot be read: ${messageOf(thrown)}.`, COMMAND);
  });
  return json(option, text);
}
function json(option: string, text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isJson(value)) return value;
  } catch {
    // said below
  }
  throw new UsageError(`${option} is no JSON object.`, COMMAND);
}

async function answerOf(base: string, key: string, body: Json): Promise<Json> {
  const url = `${base.replace(/\/+$/, "")}/v2/guardrails/evaluate`;
  const sent = { method: "POST", headers: { "content-type": "application/json", "x-gateway-api-key": key }, body: JSON.stringify(body) };
  const reply = await fetch(url, { ...sent, signal: AbortSignal.timeout(DEADLINE_MS) }).catch((thrown: unknown) => {
    throw new CommandFailed(`No gateway answered at ${url}. Start it, or name it with --url.`, { cause: thrown });
  });
  const answer: unknown = await reply.json().catch(() => undefined);
  if (!isJson(answer)) throw new CommandFailed(`${url} answered ${reply.status}, and no JSON: is it a gateway?`);
  if (!reply.ok)
    throw new CommandFailed(
      `The gateway answered ${reply.status}: ${isJson(answer["error"]) ? String(answer["error"]["message"]) : "no reason"}`,
    );
  return answer;
}

/** A line for each check, and 1 where the guardrail would not pass, or where a check could not judge: what it says then is no answer to who tries it. */
function shown({ results, verdict }: Json): number {
  const checks = Array.isArray(results) ? results.filter(isJson) : [];
  for (const result of checks) console.log(lineOf(result));
  const unjudged = checks.filter(({ error }) => isJson(error)).length;
  const how = unjudged === 0 ? "." : `, and ${unjudged} of ${checks.length} checks could not judge.`;
  console.log(`${verdict === true ? "It would pass" : "It would not pass"}${how}`);
  return verdict === true && unjudged === 0 ? 0 : 1;
}
function lineOf({ id, verdict, error, data, transformed, transformed_data, execution_time }: Json): string {
  const outcome = isJson(error) ? `error: ${String(error["message"])}` : verdict === true ? "passed" : "failed";
  const more = transformed === true ? `changed to ${JSON.stringify(transformed_data)}` : isJson(data) ? JSON.stringify(data) : "";
  return [String(id), outcome, `${String(execution_time)} ms`, more].filter((word) => word !== "").join("  ");
}
