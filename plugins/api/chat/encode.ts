import type { EncodeOptions, Encoder, Json, StreamEvent, Usage, WireError } from "#contract";
import { Blocks } from "./blocks.ts";
import { type MediaCount, mediaMember, mediaPart } from "./media.ts";
import { usageBody } from "../content/usage.ts";

type Of<T extends StreamEvent["type"]> = Extract<StreamEvent, { type: T }>;
type Content = Exclude<StreamEvent["type"], "start" | "usage">;
type Choice = { readonly delta: Json; readonly finish_reason: string | null; readonly beside?: Json };
/** What is remembered of one choice. */
interface ChoiceState {
  /** Not in strict mode. */
  readonly blocks: Blocks | undefined;
  readonly media: MediaCount;
}

const frame = (body: Json): string => `data: ${JSON.stringify(body)}\n\n`;
const part = (delta: Json): Choice => ({ delta, finish_reason: null });

/** What each event puts into its choice. */
const CHOICE: { readonly [T in Content]: (event: Of<T>, state: ChoiceState) => Choice } = {
  text: ({ text, begins }, { blocks }) =>
    part(begins && text === "" ? (blocks?.text(text, begins) ?? {}) : { content: text, ...blocks?.text(text, begins) }),
  reasoning: (event, { blocks }) =>
    part(blocks ? { ...(event.text !== "" && { reasoning_content: event.text }), ...blocks.reasoning(event) } : {}),
  refusal: ({ text }) => part({ refusal: text }),
  tool: (event, { blocks }) => part({ tool_calls: [toolDelta(event, blocks !== undefined)] }),
  media: ({ url }, { blocks, media }) => part({ ...mediaMember(url, media, true), ...blocks?.whole(mediaPart(url)) }),
  block: ({ block }, { blocks }) => part(blocks?.whole(block) ?? {}),
  citation: ({ citation }, { blocks }) => part(blocks?.citation(citation) ?? {}),
  logprobs: ({ tokens }) => ({ ...part({}), beside: { logprobs: { content: tokens, refusal: null } } }),
  beside: ({ members }, { blocks }) => ({ ...part({}), ...(blocks && { beside: members }) }),
  finish: ({ reason, native }, { blocks }) => ({ delta: {}, finish_reason: (blocks && native) ?? reason }),
};

function toolDelta(event: Of<"tool">, extras: boolean): Json {
  const fn = {
    ...(event.name !== undefined && { name: event.name }),
    arguments: event.arguments ?? "",
    ...(extras && event.signature !== undefined && { thought_signature: event.signature }),
  };
  return { index: event.index, ...(event.id !== undefined && { id: event.id, type: "function" }), function: fn };
}

/** Events -> chat.completion.chunk frames. Usage waits for the end, where the dialect puts it. */
export class ChatEncoder implements Encoder {
  private head: { id: string; object: string; created: number; model: string };
  private readonly begun = new Set<number>();
  private readonly first: ChoiceState;
  /** Of the choices behind the first. */
  private readonly states = new Map<number, ChoiceState>();
  private usage: Usage | undefined;

  constructor(private readonly options: EncodeOptions) {
    this.head = { id: options.id, object: "chat.completion.chunk", created: options.created, model: options.model };
    this.first = stateFor(options);
  }

  event(event: StreamEvent): string {
    if (event.type === "usage") return this.keep(event.usage);
    if (event.type === "start") return this.start(event);
    const index = event.choice ?? 0;
    const make = CHOICE[event.type] as (event: StreamEvent, state: ChoiceState) => Choice; // the key selects the maker of its own type
    const choice = make(event, this.stateOf(index));
    const silent = choice.finish_reason === null && choice.beside === undefined && Object.keys(choice.delta).length === 0; // reasoning, in strict mode
    return this.opening(index) + (silent ? "" : this.chunk(index, choice));
  }

  end(): string {
    const usage = this.options.usage && this.usage ? frame({ ...this.head, choices: [], usage: usageBody(this.usage) }) : "";
    return `${usage}data: [DONE]\n\n`;
  }

  /** A frame without choices, which clients pass over. */
  note(extra: Json): string {
    return frame({ ...this.head, choices: [], ...extra });
  }

  error(error: WireError): string {
    return frame({ error: { message: error.message, type: error.type, param: error.param, code: error.code, ...error.extra } });
  }

  private start({ id, model, created }: Of<"start">): string {
    this.head = {
      ...this.head,
      ...(id !== undefined && { id }),
      ...(created !== undefined && { created }),
      ...(model !== undefined && { model }),
    };
    return this.opening(0);
  }
  private keep(usage: Usage): string {
    this.usage = { ...this.usage, ...usage };
    return "";
  }
  /** The chunk that gives a choice its role, once. */
  private opening(index: number): string {
    if (this.begun.has(index)) return "";
    this.begun.add(index);
    return this.chunk(index, part({ role: "assistant", content: "" }));
  }
  private chunk(index: number, { delta, finish_reason, beside }: Choice): string {
    const choice = { index, delta, logprobs: null, finish_reason };
    return frame({ ...this.head, choices: [beside ? { ...choice, ...beside } : choice], ...(this.options.usage && { usage: null }) });
  }
  private stateOf(index: number): ChoiceState {
    return index === 0 ? this.first : this.further(index);
  }
  private further(index: number): ChoiceState {
    const state = this.states.get(index) ?? stateFor(this.options);
    this.states.set(index, state);
    return state;
  }
}
const stateFor = ({ strict, id }: EncodeOptions): ChoiceState => ({ blocks: strict ? undefined : new Blocks(), media: { id, images: 0 } });
