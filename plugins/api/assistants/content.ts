import { type BodyContent, isJson, type Json, type PlacedSegment } from "#contract";
import { roleOf } from "../content/conversation.ts";
import { type Found, type Place, at, put } from "../content/found.ts";
import { eachObject, objectIn } from "../content/ids.ts";
import { BEFORE_ALL, readTextsAt } from "../content/instructions.ts";
import { namesOf } from "../content/names.ts";
import { findCall, readParts } from "../content/parts.ts";

/* What bodies of assistants, threads, messages and runs say. */

/** What is answered, or returned by tools, is one message to a check, in however many parts it comes. */
const ALL_OF_IT = 0;

type Read = (body: Json, found: Found) => void;
export const reading =
  (...readers: readonly Read[]) =>
  (body: Json): readonly PlacedSegment[] => {
    const found: Found = [];
    for (const read of readers) read(body, found);
    return found;
  };

export const instructions =
  (...names: readonly string[]): Read =>
  (body, found) => {
    for (const name of names) readParts(body[name], at(name, "system", BEFORE_ALL), found);
  };

/** What a model is told by its tools and by the format of its answers. */
export const told: Read = (body, found) => readTextsAt(body, TOLD, found);
const TOLD = [["tools"], ["response_format"]] as const;

/** The messages of a list, in their order. */
export const messagesOf =
  (name: string): Read =>
  (body, found) =>
    eachObject(body[name], (item, index) => readMessage(item, `${name}[${index}]`, index, found));

/** The thread that a run is created with. */
export const threadOf: Read = (body, found) =>
  eachObject(objectIn(body, "thread")["messages"], (item, index) => readMessage(item, `thread.messages[${index}]`, index, found));

/** A message alone. */
export const message: Read = (body, found) => readMessage(body, "", ALL_OF_IT, found);

/** The messages of a page, which comes in any order. */
export const answeredMessages: Read = ({ data }, found) =>
  eachObject(data, (item, index) => readMessage(item, `data[${index}]`, ALL_OF_IT, found));

function readMessage({ role, content }: Json, path: string, index: number, found: Found): void {
  const below = path === "" ? "content" : `${path}.content`;
  if (!Array.isArray(content)) return readParts(content, at(below, roleOf(role), index), found);
  content.forEach((part: unknown, number) => readPart(part, at(`${below}[${number}]`, roleOf(role), index), found));
}

/** In answers the text of a part is an object: its value, and what that rests on. */
function readPart(part: unknown, place: Place, found: Found): void {
  const value = isJson(part) ? objectIn(part, "text")["value"] : undefined;
  if (typeof value !== "string") return readParts(part, place, found);
  put(found, { path: `${place.path}.text.value`, role: place.role, kind: "text", text: value, message: place.message });
}

/** What tools answered. */
export const toolOutputs: Read = ({ tool_outputs: outputs }, found) => {
  eachObject(outputs, ({ output }, index) => readParts(output, at(`tool_outputs[${index}].output`, "tool", ALL_OF_IT), found));
};

/** The calls that a run waits for. */
export const calls: Read = (run, found) => waitingCalls(run, "", found);
export const callsOfRuns: Read = ({ data }, found) => eachObject(data, (run, index) => waitingCalls(run, `data[${index}].`, found));

const waitingCalls = (run: Json, before: string, found: Found): void =>
  readCalls(
    objectIn(objectIn(run, "required_action"), "submit_tool_outputs")["tool_calls"],
    `${before}required_action.submit_tool_outputs.tool_calls`,
    found,
  );

/** The calls of a step. */
export const stepCalls: Read = (step, found) => callsOfStep(step, "", found);
export const callsOfSteps: Read = ({ data }, found) => eachObject(data, (step, index) => callsOfStep(step, `data[${index}].`, found));

const callsOfStep = (step: Json, before: string, found: Found): void =>
  readCalls(objectIn(step, "step_details")["tool_calls"], `${before}step_details.tool_calls`, found);

function readCalls(list: unknown, path: string, found: Found): void {
  eachObject(list, (call, index) => {
    const { name, arguments: args } = objectIn(call, "function");
    const below = `${path}[${index}]`;
    if (typeof name !== "string") return readParts(call, at(below, "assistant", ALL_OF_IT), found);
    findCall(found, { path: `${below}.function`, name, args, message: ALL_OF_IT });
  });
}

/** A patched call keeps its arguments as the JSON that they came in. */
export const replaced = (part: Json, changed: Json): Json => ({
  ...part,
  name: changed["name"] ?? part["name"],
  arguments: typeof changed["arguments"] === "string" ? changed["arguments"] : JSON.stringify(changed["arguments"] ?? {}),
});
const NAMES = namesOf(
  "additional_instructions additional_messages content instructions messages model output response_format role text thread tool_outputs tools",
);
export const PATCHED = { replaced, names: NAMES, rests: { value: ["annotations"] } } satisfies BodyContent;
