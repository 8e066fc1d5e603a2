import { type Json, type Patch, isJson, messageOf, parseJson } from "#contract";

/** A patch that does not fit the body it is for. */
export class PatchRefused extends Error {
  override readonly name = "PatchRefused";
}

/**
 * The body with patches applied in order. Only what stands on the way to a patch is copied, once; the original is
 * never touched. Throws `PatchRefused` when a path does not exist or the new text does not fit what stands there.
 */
export function patched(body: Json, patches: readonly Patch[]): Json {
  const copies = new Set<object>();
  let root = body;
  for (const patch of patches) {
    if ("body" in patch) root = whole(patch.body);
    else root = written(root, patch.path, patch.text, copies);
  }
  return root;
}

const whole = (body: unknown): Json => {
  if (!isJson(body)) throw new PatchRefused("a new body must be a JSON object");
  return body;
};

type Holder = Record<string, unknown>; // arrays too: their indexes are checked to be own members

function written(root: Json, path: string, text: string, copies: Set<object>): Json {
  const steps = stepsOf(path);
  const last = steps.pop();
  if (last === undefined || typeof text !== "string") throw new PatchRefused(`the patch names no place: ${path}`);
  const fresh = own(root, copies) as Json; // a copy of an object is an object
  let holder: Holder = fresh;
  for (const step of steps) holder = holder[step] = own(child(holder, step, path), copies);
  holder[last] = replaced(child(holder, last, path), text, path);
  return fresh;
}

/** What stands at a step; repeats of it are forgotten on the way, because they would still say the old text. */
function child(holder: Holder, step: string, path: string): unknown {
  if (!Object.hasOwn(holder, step)) throw new PatchRefused(`there is nothing at ${path}`);
  forgetRepeats(holder, step);
  return holder[step];
}

function own(value: unknown, copies: Set<object>): Holder {
  if (typeof value !== "object" || value === null) throw new PatchRefused("the path goes through a value that has no members");
  if (copies.has(value)) return value as Holder; // an object or an array
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Holder;
  copies.add(copy);
  return copy;
}

/** Members that say again what another one says. */
const REPEATS: Readonly<Record<string, readonly string[]>> = {
  content: ["content_blocks"],
  reasoning_content: ["content_blocks"],
  message: ["logprobs"],
  text: ["logprobs", "segments", "words"],
};
function forgetRepeats(holder: Holder, step: string): void {
  if (!Object.hasOwn(REPEATS, step) || Array.isArray(holder)) return;
  for (const name of REPEATS[step] ?? []) delete holder[name];
}

const STEP = /\.?([^.[\]]+)|\[(\d{1,7})\]/y;
function stepsOf(path: string): string[] {
  const steps: string[] = [];
  STEP.lastIndex = 0;
  for (let match = STEP.exec(path); match; match = STEP.exec(path)) {
    steps.push((match[1] ?? match[2]) as string); // one of the two always took part in the match
    if (STEP.lastIndex === path.length) return steps;
  }
  throw new PatchRefused(`the patch names no place: ${path}`);
}

function replaced(current: unknown, text: string, path: string): unknown {
  if (typeof current === "string") return text;
  if (!isJson(current)) throw new PatchRefused(`there is no text at ${path}`);
  const said = parsedObject(text, path);
  if ("input" in current) return { ...current, name: said["name"] ?? current["name"], input: said["arguments"] ?? {} };
  if ("arguments" in current) return { ...current, name: said["name"] ?? current["name"], arguments: asText(said["arguments"]) };
  return said;
}
const asText = (args: unknown): string => (typeof args === "string" ? args : JSON.stringify(args ?? {}));

function parsedObject(text: string, path: string): Json {
  try {
    return whole(parseJson(text));
  } catch (thrown) {
    throw new PatchRefused(`the text for ${path} must be a JSON object: ${messageOf(thrown)}`);
  }
}
