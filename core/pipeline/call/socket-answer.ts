import { type Call, GatewayError, headerList } from "#contract";
import type { Secrets } from "../../kernel/secrets/redaction.ts";
import type { OpenSocket } from "../stream/content.ts";
import { OfflineEnd } from "./offline-end.ts";
import type { Try } from "./try.ts";
import type { Sender } from "./attempt.ts";
import { interpret, type Reading } from "./interpret.ts";
import { askedOf, type Prepared } from "./sending.ts";
import { passedHeaders } from "./passed-headers.ts";

interface Opening {
  /** The credentials that go with it. */
  readonly secrets: Secrets;
  readonly by: Sender;
  readonly signal: AbortSignal;
}

/** Opens the provider's side of a socket: it is open, or what the provider said in its place is read like any other answer. */
export async function socketReading(request: Prepared, it: Try, { secrets, by, signal }: Opening): Promise<Reading> {
  const { adapter, id } = it.to;
  if (adapter.converse) return open(new OfflineEnd(adapter.converse, it.ask), null);
  const made = await by.egress.connect({
    ...askedOf(request, it, by, signal),
    protocols: offered(it.call, by),
    maxMessageBytes: it.call.row.messages?.limits.messageBytes ?? 0,
  });
  if (made.kind === "open")
    return open(made.socket, made.headers.get("sec-websocket-protocol"), passedHeaders(made.headers, by.headers, secrets));
  if (made.answer.status >= 300) return interpret(made.answer, it, secrets, by.headers);
  await made.answer.pieces()?.cancel();
  throw new GatewayError("UPSTREAM_INVALID", {
    provider: id,
    why: `it opened no WebSocket, and answered with the status ${made.answer.status}`,
  });
}

const open = (socket: OpenSocket, protocol: string | null, headers: Reading["headers"] = {}): Reading => ({
  status: 101,
  headers,
  content: { kind: "socket", socket, protocol },
  error: null,
  model: null,
});

/** The client's own sub-protocols; the one with its key has been taken out. */
const offered = ({ headers }: Call, { ownKeys }: Pick<Sender, "ownKeys">): readonly string[] =>
  headerList(headers.get("sec-websocket-protocol") ?? "").filter((protocol) => !ownKeys.foundIn(protocol));
