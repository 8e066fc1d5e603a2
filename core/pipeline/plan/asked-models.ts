import { after, type Call, type Json, type MaybePromise, namedModels, PASSING } from "#contract";
import { judgeBatch, judgeModel, judgeNamelessRequest, type ModelRules } from "./model-rules.ts";

/* Which models a request would have its provider ask. */

/** A request, and the model that its target was chosen by; empty where none is named outside of a form. */
interface AskedModel {
  readonly call: Call;
  readonly model: string;
}

/** Throws for a request that may not be; else the model it asks, which in a form is known once its field has arrived. */
export function allowedModel({ call, model }: AskedModel, rules: ModelRules, provider: string): MaybePromise<string> {
  return after(model === "" ? modelInForm(call) : model, (asked = "") => {
    const named = [...(asked === "" ? [] : [asked]), ...beside(call)];
    for (const each of named) judgeModel(each, rules, provider);
    if (call.operation === "createBatch") judgeBatch(rules, provider);
    if (named.length === 0 && asksModel(call)) judgeNamelessRequest(rules, provider);
    return asked;
  });
}

function modelInForm({ body, row }: Call): MaybePromise<string | undefined> {
  if (body.kind === "form-read") return body.fields["model"];
  return (body.kind === "form" || body.kind === "raw") && row.content.file === undefined ? body.findModel?.() : undefined;
}

/** Throws for a message of a session that names a model which may not be asked. */
export function judgeNamed(message: Json, rules: ModelRules, provider: string): void {
  for (const model of namedModels(message)) judgeModel(model, rules, provider);
}

/** Models that a request names elsewhere: others that may answer in the first one's place, a session's, a tool's, a path's. */
const beside = ({ body, row, path }: Call): readonly string[] => [
  ...(body.kind === "json" ? namedModels(body.value) : []),
  ...(row.id === PASSING ? inPath(path) : []),
];

/** `/models/gemini-pro:generateContent`, `/deployments/gpt-4o/chat/completions`, `/model/anthropic.claude/invoke` */
const NAMED_IN_PATH = /\/(?:models?|deployments|engines)\/([^/?]+)/g;
const inPath = (path: string): readonly string[] =>
  [...path.matchAll(NAMED_IN_PATH)].map(([, step = ""]) => decoded(step).replace(VERB, ""));
/** Google's, behind the name. */
const VERB = /:[A-Za-z]+$/;
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step; // what nobody can read is no model that is allowed
  }
}

/** Documentation groups of operations that name no model, or whose models were judged when they were made. */
const WITHOUT_MODEL: ReadonlySet<string> = new Set(["Assistants", "Batch", "Files", "Fine-Tuning", "Models", "Vector Stores"]);
const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"]);
/** Operations of those groups that have a model answer, or trained, all the same: who names none gets a saved one. */
const RUNS_SAVED: ReadonlySet<string> = new Set(["createRun", "createThreadAndRun", "createFinetune"]);
function asksModel({ row, method }: Call): boolean {
  if (row.socket || RUNS_SAVED.has(row.id)) return true;
  return !READING.has(method) && !WITHOUT_MODEL.has(row.tag) && (row.id === PASSING || row.body !== "none");
}
