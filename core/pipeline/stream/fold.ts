import type { Collected, CollectedChoice, FinishReason, Json, Mark, StreamEvent, TokenLogprob, Usage } from "#contract";

interface OpenChoice {
  text: string;
  reasoning: { text: string; signature?: string; redacted?: string }[];
  tools: Map<number, { id: string; name: string; arguments: string; signature?: string }>;
  readonly marks: Mark[];
  logprobs?: TokenLogprob[];
  beside?: Json;
  refusal?: string;
  finish?: FinishReason;
  native?: string;
  stopSequence?: string;
}
interface Open {
  id?: string;
  model?: string;
  created?: number;
  usage?: Usage;
  readonly choices: Map<number, OpenChoice>;
}
type Of<T extends StreamEvent["type"]> = Extract<StreamEvent, { type: T }>;
type Folds = { readonly [T in StreamEvent["type"]]: (event: Of<T>, open: Open) => void };

const FOLD: Folds = {
  start(event, open) {
    if (event.id !== undefined) open.id = event.id;
    if (event.model !== undefined) open.model = event.model;
    if (event.created !== undefined) open.created = event.created;
  },
  text(event, open) {
    const choice = choiceOf(open, event.choice);
    if (event.begins) mark(choice, { type: "text" });
    choice.text += event.text;
  },
  reasoning: (event, open) => addReasoning(choiceOf(open, event.choice), event),
  tool: (event, open) => addTool(choiceOf(open, event.choice), event),
  refusal(event, open) {
    const choice = choiceOf(open, event.choice);
    choice.refusal = (choice.refusal ?? "") + event.text;
  },
  media: ({ url, choice }, open) => mark(choiceOf(open, choice), { type: "media", url }),
  block: ({ block, choice }, open) => mark(choiceOf(open, choice), { type: "block", block }),
  citation: ({ citation, choice }, open) => mark(choiceOf(open, choice), { type: "citation", citation }),
  logprobs(event, open) {
    const choice = choiceOf(open, event.choice);
    choice.logprobs ??= [];
    for (const token of event.tokens) choice.logprobs.push(token);
  },
  beside(event, open) {
    const choice = choiceOf(open, event.choice);
    choice.beside = { ...choice.beside, ...event.members };
  },
  usage: (event, open) => void (open.usage = { ...open.usage, ...event.usage }),
  finish(event, open) {
    const choice = choiceOf(open, event.choice);
    choice.finish = event.reason;
    if (event.native !== undefined) choice.native = event.native;
    if (event.stopSequence !== undefined) choice.stopSequence = event.stopSequence;
  },
};

/** Choices of an answer and tool calls of a choice: guardrails and encoders look at each of them again and again. */
const MAX_EACH = 4_096;
function refuseMany(there: number, what: string): void {
  if (there >= MAX_EACH) throw new SyntaxError(`it holds more than ${MAX_EACH} ${what}`);
}

function choiceOf(open: Open, index = 0): OpenChoice {
  const choice = open.choices.get(index);
  if (choice) return choice;
  refuseMany(open.choices.size, "choices");
  const fresh: OpenChoice = { text: "", reasoning: [], tools: new Map(), marks: [] };
  open.choices.set(index, fresh);
  return fresh;
}

/** What a mark says beside its place. */
type Marked = Mark extends infer M ? (M extends Mark ? Omit<M, "at"> : never) : never;
function mark({ marks, text }: OpenChoice, marked: Marked): void {
  marks.push({ at: text.length, ...marked } as Mark); // the place is all that was left out
}

/** Text continues the open thinking block; a signature, redacted data or anything behind it closes it. */
function addReasoning(choice: OpenChoice, event: Of<"reasoning">): void {
  const last = choice.reasoning.at(-1);
  const isLast = choice.marks.at(-1)?.type === "reasoning" && choice.marks.at(-1)?.at === choice.text.length;
  if (last && isLast && last.signature === undefined && last.redacted === undefined && event.redacted === undefined) {
    last.text += event.text;
    if (event.signature !== undefined) last.signature = event.signature;
    return;
  }
  const { text, signature, redacted } = event;
  mark(choice, { type: "reasoning", index: choice.reasoning.length });
  choice.reasoning.push({ text, ...(signature !== undefined && { signature }), ...(redacted !== undefined && { redacted }) });
}

function addTool(choice: OpenChoice, event: Of<"tool">): void {
  const call = choice.tools.get(event.index) ?? { id: "", name: "", arguments: "" };
  if (!choice.tools.has(event.index)) refuseMany(choice.tools.size, "tool calls");
  if (event.id !== undefined) call.id = event.id;
  if (event.name !== undefined) call.name = event.name;
  if (event.arguments !== undefined) call.arguments += event.arguments;
  if (event.signature !== undefined) call.signature = event.signature;
  choice.tools.set(event.index, call);
}

/** Folds one answer while its events pass by. */
export class Fold {
  private readonly open: Open = { choices: new Map() };

  add(event: StreamEvent): void {
    (FOLD[event.type] as (event: StreamEvent, open: Open) => void)(event, this.open); // the key selects the handler of its own type
  }
  /** Every choice that began has finished, and there was one. */
  get finished(): boolean {
    const { choices } = this.open;
    for (const choice of choices.values()) if (choice.finish === undefined) return false;
    return choices.size > 0;
  }
  get usage(): Usage | undefined {
    return this.open.usage;
  }
  get model(): string | undefined {
    return this.open.model;
  }
  done(): Collected {
    const { choices, ...rest } = this.open;
    return { ...rest, choices: [...choices.entries()].sort(([a], [b]) => a - b).map(([, choice]) => closed(choice)) };
  }
}

const closed = ({ tools, marks, ...choice }: OpenChoice): CollectedChoice => ({
  ...choice,
  ...(!marks.every(isThoughtFirst) && { marks: [...marks] }),
  tools: [...tools.entries()].sort(([a], [b]) => a - b).map(([, call]) => call),
});

const isThoughtFirst = ({ type, at }: Mark): boolean => type === "reasoning" && at === 0;

/** Which choices of an answer have begun and finished, without what they said. */
export class Finishes {
  private readonly finished = new Map<number, boolean>();

  add(event: StreamEvent): void {
    if (event.type === "start" || event.type === "usage") return;
    const choice = event.choice ?? 0;
    if (!this.finished.has(choice)) refuseMany(this.finished.size, "choices");
    if (event.type === "finish") this.finished.set(choice, true);
    else if (!this.finished.has(choice)) this.finished.set(choice, false);
  }
  /** Every choice that began has finished, and there was one. */
  get all(): boolean {
    for (const finished of this.finished.values()) if (!finished) return false;
    return this.finished.size > 0;
  }
}

/** Folds a whole answer. */
export function collect(events: Iterable<StreamEvent>): Collected {
  const fold = new Fold();
  for (const event of events) fold.add(event);
  return fold.done();
}

/** All that a model wrote of an answer, as it counts as tokens. */
export const saidIn = ({ choices }: Collected): string => choices.flatMap(textsOf).join("");
const textsOf = ({ text, refusal = "", tools, reasoning }: CollectedChoice): readonly string[] => [
  text,
  refusal,
  ...tools.map((tool) => tool.arguments),
  ...reasoning.map((part) => part.text),
];
