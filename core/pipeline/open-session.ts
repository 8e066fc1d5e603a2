import {
  after,
  DATA_PLANE_SCOPE,
  GatewayError,
  type GuardrailResults,
  type MountedOperation,
  type SocketMessages,
  type Usage,
} from "#contract";
import { entering } from "../kernel/process/watchdog/marks.ts";
import { PLUGIN_LIMITS, pluginAnswer } from "../kernel/process/plugin-answer.ts";
import { noSockets, type SocketListener } from "../platform.ts";
import type { Gateway } from "./gateway.ts";
import type { GuardrailReport } from "./call/guardrail-report.ts";
import { requireScope } from "./identify.ts";
import type { Prepared } from "./plan/prepare.ts";
import type { Reply } from "./call/reply.ts";
import type { Content } from "./stream/content.ts";
import { gatewayHeaders, type Served, settled } from "./settle/settle.ts";
import { shortened } from "./settle/logged-text.ts";
import { sum } from "./settle/sum.ts";
import { MAX_NAME } from "./settle/used.ts";
import type { Ending } from "./stream/deliver.ts";
import { SessionJudge } from "./socket/judge.ts";
import { Session } from "./socket/session.ts";
import type { Unfinished } from "./socket/session-parts.ts";

/** Makes a WebSocket of the client's request; `false` where it has gone. */
export type Upgrade = (headers: Readonly<Record<string, string>>, listener: SocketListener) => boolean;

/** A request for a socket that does not ask for one, or that nobody here can answer, is told before anything is opened for it. */
export function judgeUpgrade(row: MountedOperation, asks: boolean, upgrade: Upgrade | undefined): void {
  if (!asks) throw new GatewayError("UPGRADE_REQUIRED", { path: `/v1${row.path}` });
  const why = noSockets ?? (upgrade ? null : "the request came where no connection can be kept");
  if (why !== null) throw new GatewayError("SOCKETS_UNAVAILABLE", { why });
}

type OpenReply = Reply & { readonly content: Extract<Content, { kind: "socket" }> };
export const isOpen = (reply: Reply): reply is OpenReply => reply.content.kind === "socket";

/** A session's request as it came through the pipeline. */
export interface ServedSocket extends Served {
  readonly caller: NonNullable<Served["caller"]>;
  readonly plan: NonNullable<Served["plan"]>;
  readonly prepared: Prepared;
  readonly spending: NonNullable<Served["spending"]>;
  readonly upgrade: Upgrade | undefined;
}

/** The provider's side is open: opens the client's, and joins them. The answer is never sent: the connection is a WebSocket by then. */
export async function openSession(reply: OpenReply, served: ServedSocket, gw: Gateway): Promise<Response> {
  const { socket, protocol } = reply.content;
  try {
    const judge = await judgeOf(reply, served, gw);
    const session = sessionOf(reply, served, judge, gw);
    const headers = { ...upgradeHeaders(reply, served), ...protocolFor(served, protocol) };
    if (!gw.sessions.opening(session, () => served.upgrade?.(headers, session.client) ?? false)) throw new GatewayError("CLIENT_LEFT");
    return new Response(null, { status: 101 });
  } catch (thrown) {
    socket.cut();
    throw thrown;
  }
}

async function judgeOf(
  { leaf, from }: OpenReply,
  { call, caller, plan, prepared, spending }: ServedSocket,
  gw: Gateway,
): Promise<SessionJudge> {
  if (!leaf || !from) throw new TypeError("a socket is a target's answer");
  const input = await prepared.guardrails(leaf.inputGuardrails);
  const output = await prepared.guardrails(leaf.outputGuardrails);
  return new SessionJudge({ call, caller, plan, to: from, input, output, deps: gw.guards, spending });
}

function sessionOf(reply: OpenReply, served: ServedSocket, judge: SessionJudge, gw: Gateway): Session {
  const { call, caller, plan, held } = served;
  const told: Reply = { ...reply, guardrails: reportOf(reply.guardrails, judge) };
  const session: Session = new Session({
    call,
    caller,
    plan,
    held,
    messages: messagesOf(call.row),
    provider: reply.from?.id ?? "",
    upstream: reply.content.socket,
    judge,
    keptBytes: gw.limits.loggedBytes,
    stalledMs: gw.stalledMs,
    now: gw.now,
    spent: (usage) => spent(usage, served, gw),
    identify: () => after(gw.identify(call.headers, call.control.apiKey), (known) => mayStill(known, served)),
    settle: (ending, unfinished) => {
      gw.sessions.remove(session);
      void withEstimate(ending, unfinished, told, gw)
        .catch((thrown: unknown) => notEstimated(thrown, ending, gw))
        .then((whole) => settled({ reply: told, served, ending: whole, gw }));
    },
  });
  return session;
}

/** What was said in answers that never ended was used all the same. */
async function withEstimate(ending: Ending, unfinished: (() => Unfinished) | null, { from, model }: Reply, gw: Gateway): Promise<Ending> {
  if (unfinished === null || from === null) return ending;
  const { asked, said } = unfinished();
  const { text, times } = said;
  const of = { providerId: from.id, model: shortened(model ?? from.target.model, MAX_NAME) };
  const used = await gw.estimate(asked, text, of);
  return { ...ending, usage: sum(ending.usage, { ...used, output: Math.round((used.output ?? 0) * times) }) };
}

/** What was reported stands, and the session is settled. */
function notEstimated(thrown: unknown, ending: Ending, { log }: Gateway): Ending {
  log("error", "usage.not_estimated", { why: thrown });
  return ending;
}

function messagesOf({ id, messages }: MountedOperation): SocketMessages {
  if (messages) return messages;
  throw new TypeError(`the operation ${id} is a WebSocket and does not say what its messages hold`);
}

/** A key may have lost its scope meanwhile, or have been moved. */
function mayStill(known: ServedSocket["caller"], { call, caller }: ServedSocket): void {
  if (known.workspaceId !== caller.workspaceId || known.keyId !== caller.keyId) throw new GatewayError("KEY_UNKNOWN");
  if (!known.scopes.has(DATA_PLANE_SCOPE)) requireScope(known, call.row.scope, call.operation);
}

/** In the order of the profile; the first that throws ends the session. */
async function spent(usage: Usage, { call, caller, plan }: ServedSocket, gw: Gateway): Promise<void> {
  for (const { name, provides, mark } of gw.gen.policies) {
    if (!provides.spent) continue;
    entering(mark);
    await pluginAnswer(provides.spent(usage, { call, caller, plan }), PLUGIN_LIMITS.admit, name, mark ?? 0);
  }
}

/** What was judged at the door, and every message since. */
const reportOf = (door: GuardrailReport, judge: SessionJudge): GuardrailReport => ({
  results: (): GuardrailResults => {
    const before = door.results();
    return { input: [...before.input, ...judge.results.input], output: [...before.output, ...judge.results.output], text: null };
  },
  get pending() {
    return { input: judge.all().then(() => door.pending?.input ?? []), output: null };
  },
});

/** The runtime writes those of the handshake. */
function upgradeHeaders(reply: OpenReply, { call }: ServedSocket): Record<string, string> {
  const { connection: _, upgrade: __, ...headers } = gatewayHeaders(reply, call);
  return headers;
}

/** A client that offered sub-protocols wants one of them chosen; the provider's choice is its own offer, too. */
function protocolFor({ call }: ServedSocket, chosen: string | null): Record<string, string> {
  const [first] = (call.headers.get("sec-websocket-protocol") ?? "").split(",").map((protocol) => protocol.trim());
  const protocol = chosen ?? first ?? "";
  return protocol === "" ? {} : { "sec-websocket-protocol": protocol };
}
