import { type BodyContent, type Json, type Patch, isJson, messageOf, parseJson } from "#contract";

/** A patch that does not fit the body it is for. */
export class PatchRefused extends Error {
  override readonly name = "PatchRefused";
}

/** A patch of the body, whole or in a place. */
export type BodyPatch = Exclude<Patch, { readonly header: string }>;
export const isOfBody = (patch: Patch): patch is BodyPatch => !("header" in patch);

/**
 * The body with patches applied in order. Only what stands on the way to a patch is copied, once; the original is
 * never touched. Throws `PatchRefused` when a path does not exist or the new text does not fit what stands there.
 */
export function patched(body: Json, patches: readonly BodyPatch[], content: BodyContent): Json {
  const copies = new Set<object>();
  let root = body;
  for (const patch of patches) {
    if ("body" in patch) root = rewritten(root, whole(patch.body), content);
    else root = written(root, patch, content, copies);
  }
  return root;
}

const rewritten = (before: Json, after: Json, content: BodyContent): Json => content.rewritten?.(before, after) ?? after;

const whole = (body: unknown): Json => {
  if (!isJson(body)) throw new PatchRefused("a new body must be a JSON object");
  return body;
};

type Holder = Record<string, unknown>; // arrays too: their indexes are checked to be own members

function written(root: Json, { path, text }: TextPatch, content: BodyContent, copies: Set<object>): Json {
  const steps = stepsOf(path);
  const last = steps.pop();
  if (last === undefined || typeof text !== "string") throw new PatchRefused(`the patch names no place: ${path}`);
  const fresh = own(root, copies) as Json; // a copy of an object is an object
  let holder: Holder = fresh;
  const child = (step: string): unknown => {
    if (!Object.hasOwn(holder, step)) throw new PatchRefused(`there is nothing at ${path}`);
    forgetRepeats(holder, step, content);
    return holder[step];
  };
  for (const step of steps) holder = holder[step] = own(child(step), copies);
  holder[last] = replaced(child(last), text, path, content);
  return fresh;
}
type TextPatch = Exclude<BodyPatch, { readonly body: unknown }>;

function own(value: unknown, copies: Set<object>): Holder {
  if (typeof value !== "object" || value === null) throw new PatchRefused("the path goes through a value that has no members");
  if (copies.has(value)) return value as Holder; // an object or an array
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Holder;
  copies.add(copy);
  return copy;
}

/** Members that say again what the patched one says would still say the old text. */
function forgetRepeats(holder: Holder, step: string, { repeats = {}, rests = {} }: BodyContent): void {
  if (Array.isArray(holder)) return;
  for (const name of besides(repeats, step)) delete holder[name];
  for (const name of besides(rests, step)) if (Array.isArray(holder[name])) holder[name] = [];
}
const besides = (table: NonNullable<BodyContent["repeats"]>, step: string): readonly string[] =>
  Object.hasOwn(table, step) ? (table[step] ?? []) : [];

/** A name, an index, or a name in quotes that holds what would end a step. */
const STEP = /\.?([^.[\]]+)|\[(\d{1,7})\]|\[("(?:[^"\\]|\\.)*")\]/y;
function stepsOf(path: string): string[] {
  const steps: string[] = [];
  STEP.lastIndex = 0;
  for (let match = STEP.exec(path); match; match = STEP.exec(path)) {
    const [, name, index, quoted] = match;
    steps.push(name ?? index ?? nameIn(quoted ?? "", path));
    if (STEP.lastIndex === path.length) return steps;
  }
  throw new PatchRefused(`the patch names no place: ${path}`);
}

function nameIn(quoted: string, path: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch (thrown) {
    throw new PatchRefused(`the patch names no place: ${path} (${messageOf(thrown)})`);
  }
}

function replaced(current: unknown, text: string, path: string, content: BodyContent): unknown {
  if (typeof current === "string") return text;
  if (!isJson(current)) throw new PatchRefused(`there is no text at ${path}`);
  const changed = parsedObject(text, path);
  return content.replaced?.(current, changed) ?? changed;
}

function parsedObject(text: string, path: string): Json {
  try {
    return whole(parseJson(text));
  } catch (thrown) {
    throw new PatchRefused(`the text for ${path} must be a JSON object: ${messageOf(thrown)}`);
  }
}
