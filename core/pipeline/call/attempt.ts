import { type Call, GatewayError, type HeaderClasses, type JsonText } from "#contract";
import type { Egress } from "../../egress/egress.ts";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";
import type { Try } from "./try.ts";
import { goesOnce } from "./form.ts";
import { interpret, type Reading } from "./interpret.ts";
import { answerTo, bodyText, requestOf, type Sent } from "./sending.ts";
import { failureReading } from "./refusal.ts";
import { socketReading } from "./socket-answer.ts";
import { Tries, wait } from "./retry.ts";
import { ledOn } from "./via.ts";
import { secretsOf, secretsSent } from "./secrets-sent.ts";
import type { Content } from "../stream/content.ts";

/** What a call to a target needs of the running gateway. */
export interface Sender {
  readonly egress: Egress;
  readonly headers: HeaderClasses;
  readonly ownKeys: Pick<OwnKeys, "foundIn">;
  readonly now: () => number;
}
export interface Attempted {
  readonly reading: Reading;
  readonly sent: Sent | null;
  readonly retries: number;
  readonly exhausted: boolean;
  readonly upstreamMs: number;
}

/** Calls one target: tries, waits and tries again as its retry setting says, until an answer stands. */
export async function attempt(first: Try, by: Sender, tries = new Tries(first.leaf.retry, by.now())): Promise<Attempted> {
  let it = first;
  const startedAt = by.now();
  const { held } = it.request;
  const heldBefore = held.bytes;
  const text = await bodyText(it);
  for (;;) {
    const { reading, sent } = await once(it, text, by);
    const renewed = it === first ? await withNewKey(it, reading) : undefined;
    if (renewed) {
      await discarded(reading.content);
      held.backTo(heldBefore);
      it = renewed;
      continue;
    }
    const pause = pauseAfter(reading, it, tries, by);
    if (pause === null)
      return { reading, sent, retries: tries.used, exhausted: tries.isExhausted(reading.status), upstreamMs: by.now() - startedAt };
    await discarded(reading.content);
    held.backTo(heldBefore);
    await waited(pause, it);
  }
}

/** The same with another key, where the provider did not accept one that was fetched; once, and not where there is none. */
async function withNewKey(it: Try, { status }: Reading): Promise<Try | undefined> {
  const { kept, target } = it.to;
  if (status !== UNAUTHORIZED || kept?.renewKey === undefined || goesOnce(it.call)) return undefined;
  try {
    const apiKey = await kept.renewKey(target.apiKey);
    if (apiKey === target.apiKey) return undefined;
    return { ...it, to: { ...it.to, target: { ...target, apiKey } }, ask: { ...it.ask, target: { ...target, apiKey } } };
  } catch {
    return undefined; // what the provider said of the old one stands
  }
}
const UNAUTHORIZED = 401;

/** Milliseconds to wait before this is asked again; `null` where what was answered stands. */
export function pauseAfter({ status, headers }: Pick<Reading, "status" | "headers">, it: Try, tries: Tries, by: Sender): number | null {
  const pause = goesOnce(it.call) ? null : tries.next(status, headers);
  return pause !== null && leavesTime(pause, it, by) ? pause : null;
}
export const waited = (pause: number, { call }: Try): Promise<void> =>
  wait(pause, call.signal).catch(() => {
    throw new GatewayError("CLIENT_LEFT");
  });

/** An answer nobody will read: its upstream is let go. */
export async function discarded(content: Content): Promise<void> {
  if (content.kind === "whole") return;
  if (content.kind === "bytes") return content.bytes?.cancel();
  if (content.kind === "socket") return content.socket.cut();
  const { stream } = content;
  return stream.kind === "passing" ? stream.passing.reader.cancel() : stream.chunks.cancel();
}

function leavesTime(pause: number, { call }: Try, by: Sender): boolean {
  const deadlineAt = deadlineOf(call);
  return deadlineAt === null || by.now() + pause < deadlineAt;
}
/** Milliseconds since the epoch at which the request ends, whatever is going on. */
const deadlineOf = ({ startedAt, control }: Call): number | null =>
  control.requestTimeoutMs === undefined ? null : startedAt + control.requestTimeoutMs;

async function once(it: Try, text: JsonText | null, by: Sender): Promise<{ reading: Reading; sent: Sent | null }> {
  const cut = cutter(it.call.signal, patienceOf(it, by));
  let sent: Sent | null = null;
  try {
    const led = it.to.adapter.via === undefined ? { on: it } : await ledOn(it, by, cut.signal);
    if ("refused" in led) return { reading: led.refused, sent };
    const request = await requestOf(led.on, text, by, cut.signal);
    if (it.call.row.socket) {
      const secrets = secretsSent(it.to, request.headers, by.headers);
      sent = { url: request.url, body: null, secrets };
      return { reading: await socketReading(request, led.on, { secrets, by, signal: cut.signal }), sent };
    }
    const answer = await answerTo(request, led.on, by, cut.signal);
    sent = { url: request.url, body: request.text, secrets: secretsSent(it.to, request.headers, by.headers) };
    return { reading: await interpret(answer, it, sent.secrets, by.headers), sent };
  } catch (thrown) {
    if (it.call.signal.aborted) throw new GatewayError("CLIENT_LEFT", {}, { cause: thrown });
    const reading = failureReading(cut.expired ?? thrown, it, sent?.secrets ?? secretsOf(it.to));
    if (!reading) throw thrown;
    return { reading, sent };
  } finally {
    cut.inTime();
  }
}

/** How long one try may take, and what was asked for: the error names that. */
interface Patience {
  readonly leftMs: number;
  readonly askedMs: number;
}
interface Cutter {
  readonly signal: AbortSignal;
  readonly expired: GatewayError | undefined;
  /** The try has begun to answer: only the client's leaving cuts it from now on. */
  inTime(): void;
}

/** One try's signal: fires when the client leaves, at any time, and when the try takes too long to begin to answer. */
const cutter = (client: AbortSignal, patience: Patience | null): Cutter =>
  patience === null ? { signal: client, expired: undefined, inTime: nothing } : new Impatient(client, patience);
const nothing = (): void => undefined;

class Impatient implements Cutter {
  readonly #cut = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  expired: GatewayError | undefined;

  constructor(client: AbortSignal, { leftMs, askedMs }: Patience) {
    this.#timer = setTimeout(() => {
      this.expired = new GatewayError("TIMEOUT", { timeoutMs: askedMs });
      this.#cut.abort(this.expired);
    }, leftMs);
    const leave = (): void => this.#cut.abort(client.reason);
    if (client.aborted)
      leave(); // before this try began
    else client.addEventListener("abort", leave, { once: true });
  }
  get signal(): AbortSignal {
    return this.#cut.signal;
  }
  inTime(): void {
    clearTimeout(this.#timer);
  }
}

/** The config's timeout for one call; the header's covers the whole request when the config has none. */
function patienceOf({ leaf, call }: Try, by: Sender): Patience | null {
  if (leaf.timeoutMs !== null) return { leftMs: leaf.timeoutMs, askedMs: leaf.timeoutMs };
  const deadlineAt = deadlineOf(call);
  if (deadlineAt === null) return null;
  return { leftMs: Math.max(1, deadlineAt - by.now()), askedMs: deadlineAt - call.startedAt };
}
