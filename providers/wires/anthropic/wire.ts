import type { Json } from "#contract";
import type { WireUsage } from "./usage.ts";

interface MessageStart {
  readonly id: string;
  readonly model: string;
  readonly usage?: WireUsage;
  /** What was there before the stream began: a call that another call's code made. */
  readonly content?: readonly Json[] | null;
  readonly stop_reason?: string | null;
}

/** The wire, as far as it is read; event types of tomorrow are let pass. */
export type Wire =
  | { readonly type: "message_start"; readonly message: MessageStart }
  | { readonly type: "content_block_start"; readonly index: number; readonly content_block: Json }
  | { readonly type: "content_block_delta"; readonly index: number; readonly delta: Json }
  | { readonly type: "content_block_stop"; readonly index: number }
  | { readonly type: "message_delta"; readonly delta: { readonly stop_reason?: string | null }; readonly usage?: WireUsage }
  | { readonly type: "message_stop" }
  | { readonly type: "error"; readonly error: Json };
