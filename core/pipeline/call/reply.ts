import type { CacheStatus, HeaderRecord, Json, Leaf, WireError } from "#contract";
import type { Sent } from "./sending.ts";
import { type GuardrailReport, NO_REPORT } from "./guardrail-report.ts";
import type { Resolved } from "../plan/targets.ts";
import type { Content } from "../stream/content.ts";
import type { Spent } from "../stream/spent.ts";

/** What one target answered, in the client's dialect. */
export interface Reply {
  readonly status: number;
  /** Of the provider, cleaned; the gateway's own are added at the end. */
  readonly headers: HeaderRecord;
  readonly content: Content;
  readonly leaf: Leaf | null;
  readonly from: Resolved | null;
  readonly sent: Sent | null;
  readonly model: string | null;
  readonly retries: number;
  /** All retries were used and it still failed. */
  readonly exhausted: boolean;
  /** Made by the gateway itself: trying another target would hide a mistake. */
  readonly gatewayMade: boolean;
  readonly error: WireError | null;
  readonly cacheStatus: CacheStatus;
  readonly guardrails: GuardrailReport;
  readonly upstreamMs: number;
  /** Ids of what the request began and this answer does not end; those of a stream are heard while it passes. */
  readonly begun?: readonly string[] | undefined;
  /** The answer that was denied, where this one stands in its place. */
  readonly denied?: Spent;
  /** Of a stream that guardrails judged: what has come of it so far. */
  readonly spent?: () => Spent;
  /** The request's body, where its guardrails changed it. */
  readonly judged?: Json;
}

/** An answer of the gateway's own. */
export const ownReply = (status: number, text: string, body: Json | null, error: WireError | null = null): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  content: { kind: "whole", text, body, usage: null },
  leaf: null,
  from: null,
  sent: null,
  model: null,
  retries: 0,
  exhausted: false,
  gatewayMade: true,
  error,
  cacheStatus: "DISABLED",
  guardrails: NO_REPORT,
  upstreamMs: 0,
});
