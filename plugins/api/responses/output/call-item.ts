import { InnerJson, isJson, type Json } from "#contract";
import { JsonEnd } from "../../content/json-end.ts";
import { membersText } from "./event-writer.ts";
import { type ItemPlace, type ItemStatus, itemAdded, itemDone, type OpenItem } from "./item.ts";

/** A call of one of the client's tools while its arguments arrive. */
export interface CallItem extends OpenItem {
  readonly callId: string;
  begin(): string;
  arguments(piece: string): string;
  /** Are its arguments a whole JSON value? Some providers write several calls at a time. */
  readonly isWhole: boolean;
}
/** What a call is known by. */
export interface CallHead {
  readonly call_id: string;
  readonly name: string;
}

/** Arguments as they arrive. */
class ArgumentsText {
  written = "";
  private readonly end = new JsonEnd();

  add(piece: string): void {
    this.written += piece;
    this.end.add(piece);
  }
  /** Other values than objects and lists do not tell where they end. */
  get isWhole(): boolean {
    return this.end.reached && /^\s*[{[]/.test(this.written);
  }
}

/** A call of a function: its arguments pass as they come. */
export class FunctionCallItem implements CallItem {
  private readonly place: Json;
  private readonly deltaPlace: string;
  private readonly text = new ArgumentsText();
  item: Json = {};
  constructor(
    private readonly at: ItemPlace,
    private readonly head: CallHead,
  ) {
    this.place = { item_id: at.id, output_index: at.index };
    this.deltaPlace = membersText(this.place);
  }

  get callId(): string {
    return this.head.call_id;
  }
  get isWhole(): boolean {
    return this.text.isWhole;
  }
  begin(): string {
    return itemAdded(this.at, this.body("in_progress"));
  }
  arguments(piece: string): string {
    if (piece === "") return "";
    this.text.add(piece);
    return this.at.writer.delta("response.function_call_arguments.delta", this.deltaPlace, piece);
  }
  /** Clients parse the arguments: a call without any has an empty object. */
  end(status: ItemStatus): string {
    const filled = this.text.written.trim() === "" && status === "completed" ? this.arguments("{}") : "";
    this.item = this.body(status);
    const done = { ...this.place, name: this.head.name, arguments: this.text.written };
    return filled + this.at.writer.event("response.function_call_arguments.done", done) + itemDone(this.at, this.item);
  }
  private body(status: ItemStatus): Json {
    return { id: this.at.id, type: "function_call", status, arguments: this.text.written, ...this.head };
  }
}

/** A call of a custom tool, which the model was shown as a function with one text: that text is its input. */
export class CustomCallItem implements CallItem {
  private readonly place: Json;
  private readonly text = new ArgumentsText();
  item: Json = {};
  constructor(
    private readonly at: ItemPlace,
    private readonly head: CallHead,
  ) {
    this.place = { item_id: at.id, output_index: at.index };
  }

  get callId(): string {
    return this.head.call_id;
  }
  get isWhole(): boolean {
    return this.text.isWhole;
  }
  begin(): string {
    return itemAdded(this.at, this.body("in_progress", ""));
  }
  /** Told at the end: a text is read out of JSON once that is whole. */
  arguments(piece: string): string {
    this.text.add(piece);
    return "";
  }
  end(status: ItemStatus): string {
    const input = inputIn(this.text.written);
    const { writer } = this.at;
    this.item = this.body(status, input);
    return (
      writer.delta("response.custom_tool_call_input.delta", membersText(this.place), input) +
      writer.event("response.custom_tool_call_input.done", { ...this.place, input }) +
      itemDone(this.at, this.item)
    );
  }
  private body(status: ItemStatus, input: string): Json {
    return { id: this.at.id, type: "custom_tool_call", status, input, ...this.head };
  }
}

/** The member in which a custom tool's function has its text. */
export const CUSTOM_INPUT = "input";
/** A model may have written the text itself. */
function inputIn(text: string): string {
  const value = jsonIn(text);
  const input = isJson(value) ? value[CUSTOM_INPUT] : undefined;
  return typeof input === "string" ? input : text;
}

function jsonIn(text: string): unknown {
  try {
    return new InnerJson().parse(text);
  } catch {
    return undefined; // cut off, no JSON, or too much of it
  }
}
