import {
  CheckFault,
  type CheckInput,
  type Handles,
  type InnerAsk,
  inModelTime,
  isJson,
  type Json,
  modelAnswer,
  modelPlace,
} from "#contract";
import { type Category, CATEGORIES } from "./category.ts";
import { ENDPOINT, HAZARDS, type Mapping, meant } from "./mapping.ts";
import type { Params } from "./params.ts";

const BY = "gateway.moderateContent";
/** Characters that a model is asked about. */
const MAX_CHARS = 100_000;
/** A guard model says a word and codes; one that thinks first has room for that. */
const MAX_TOKENS = 512;

/** Asks the model that the parameters name, within the request. */
export async function moderatedBy(host: Pick<Handles, "dispatch">, input: CheckInput<Params>): Promise<ReadonlySet<Category>> {
  const { text, params, asker, timeoutMs, signal } = input;
  if (text.trim() === "") return new Set();
  if (text.length > MAX_CHARS)
    throw new CheckFault("budget", `${BY}: the text has ${text.length} characters; a model is asked about ${MAX_CHARS} at most`);
  const { ask, read } = ANSWERS[params.answers];
  const question = { ...ask(text, params), ...modelPlace(params), by: BY };
  const { body } = await inModelTime({ by: BY, timeoutMs, signal }, (stop) => modelAnswer(host, { ...question, signal: stop }, asker));
  return read(body, params);
}

/** How each kind of model is asked, and how it answers. */
interface Kind {
  ask(text: string, params: Params): Pick<InnerAsk, "operation" | "body">;
  read(answer: Json, params: Params): ReadonlySet<Category>;
}
const named = ({ model }: Params): Json => (model === undefined ? {} : { model });

const ANSWERS: Readonly<Record<Params["answers"], Kind>> = {
  moderation: {
    ask: (text, params) => ({ operation: "moderate", body: { ...named(params), input: text } }),
    read: moderated,
  },
  guard: {
    ask: (text, params) => ({
      operation: "chatComplete",
      body: { ...named(params), messages: [{ role: "user", content: text }], max_completion_tokens: MAX_TOKENS },
    }),
    read: guarded,
  },
};

/* ── a moderation endpoint ───────────────────────────────────────────────────────────────────────────────────── */

function moderated({ results }: Json, params: Params): ReadonlySet<Category> {
  const [result] = Array.isArray(results) ? (results as readonly unknown[]) : [];
  const told = isJson(result) ? result[params.threshold === undefined ? "categories" : "category_scores"] : undefined;
  if (!isJson(told)) throw malformed("no moderation");
  const mapping: Mapping = { ...ENDPOINT, ...params.mapping };
  refuseUntold(Object.keys(told), params, mapping);
  return meant(
    Object.keys(told).filter((name) => isFlagged(told[name], params.threshold)),
    mapping,
  );
}

function isFlagged(value: unknown, threshold: number | undefined): boolean {
  if (value === null) return false; // an endpoint lists what it did not look for in this text
  if (threshold === undefined && typeof value === "boolean") return value;
  if (threshold !== undefined && typeof value === "number") return value >= threshold;
  throw malformed("no moderation");
}

/** What the endpoint has no word for it would never find. */
function refuseUntold(names: readonly string[], { categories }: Params, mapping: Mapping): void {
  const told = meant(names, mapping);
  const untold = categories.filter((category) => !told.has(category));
  if (untold.length > 0)
    throw new CheckFault(
      "config",
      `${BY}: the model does not tell ${untold.join(", ")}; leave it out, or name what it has for it in mapping`,
    );
}

/* ── a guard model ───────────────────────────────────────────────────────────────────────────────────────────── */

const SAFE = /^safe$/i;
/** What a model says of its codes may be on the same line, or on the next. */
const UNSAFE = /^unsafe(?:[\s:]+([A-Z]\d{1,3}(?:\s*,\s*[A-Z]\d{1,3})*))?$/i;

function guarded({ choices }: Json, { mapping }: Params): ReadonlySet<Category> {
  const text = textIn(choices).trim();
  if (SAFE.test(text)) return new Set();
  const unsafe = UNSAFE.exec(text);
  if (unsafe === null) throw derailed("neither safe nor unsafe");
  const [, codes] = unsafe;
  if (codes === undefined) return new Set(CATEGORIES); // it does not say what is wrong: that may be any of them
  return meant(codes.toUpperCase().split(/\s*,\s*/), { ...HAZARDS, ...mapping });
}
function textIn(choices: unknown): string {
  const [choice] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const message = isJson(choice) ? choice["message"] : undefined;
  const content = isJson(message) ? message["content"] : undefined;
  if (typeof content !== "string") throw derailed("no text");
  return content.slice(0, MAX_ANSWER_CHARS);
}
const MAX_ANSWER_CHARS = 1_000;

/** A model that refuses, or says something else, may do so because of the text: that is no way past it. */
const derailed = (what: string): CheckFault => new CheckFault("budget", `${BY}: the model's answer is ${what}`);
const malformed = (what: string): CheckFault => new CheckFault("malformed", `${BY}: the model's answer is ${what}`);
