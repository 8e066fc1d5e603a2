import {
  after,
  type Body,
  type Branch,
  type Call,
  type Caller,
  DATA_PLANE_SCOPE,
  GatewayError,
  type Kind,
  type MaybePromise,
  type Plan,
  type PreparedBody,
  type TargetNode,
  tenantOf,
} from "#contract";
import { nothingSpent } from "../compute/allowance.ts";
import type { MountedRoute } from "../kernel/generation.ts";
import type { Held } from "../kernel/process/memory-budget.ts";
import { textCost } from "../json/memory-cost.ts";
import { entering, markOfOwner, nameOf } from "../kernel/process/watchdog/marks.ts";
import { answerFrom } from "./target.ts";
import type { RoutedRequest } from "./call/try.ts";
import { discarded } from "./call/attempt.ts";
import { goesOnce, keptForm } from "./call/form.ts";
import { leaveBehind } from "./call/left-behind.ts";
import type { Gateway } from "./gateway.ts";
import { requireScope } from "./identify.ts";
import { PLUGIN_LIMITS, type PluginLimits, pluginAnswer } from "../kernel/process/plugin-answer.ts";
import { blaming } from "../kernel/process/plugin-failure.ts";
import { keptReply } from "./keep-answer.ts";
import { ownReply, type Reply } from "./call/reply.ts";
import { planOf } from "./plan/plan.ts";
import { choosesNobody, noProvider } from "./plan/targets.ts";
import { refused, whenDone } from "./settle/settle.ts";
import { isOpen, judgeUpgrade, openSession, type Upgrade } from "./open-session.ts";

/** A request at the door: its body is read only once it is known who asks. */
export interface PendingCall {
  readonly call: Call;
  /** Its body, judged by the operation's schema. */
  read(): MaybePromise<Body>;
  /** What it holds of the process's memory budget. */
  readonly held: Held;
  /** Counts it out of its generation. */
  readonly leave: () => void;
  /** Where it asks for a WebSocket: opens the client's side. */
  readonly upgrade?: Upgrade | undefined;
  /** Whom it is asked for, where a plugin asks: who that is and what it may do is known. */
  readonly as?: Caller;
}

/**
 * The whole life of a data-plane request. Read this first; every step is one file beside it.
 * What is there already is not awaited: a warm request waits for its body, its provider, and the policies that count.
 */
export async function handle(arrived: PendingCall, gw: Gateway, limits: PluginLimits = PLUGIN_LIMITS): Promise<Response> {
  const reached: Reached = { call: arrived.call, caller: null, plan: null };
  const { held } = arrived;
  try {
    const caller = (reached.caller = arrived.as ?? (await gw.identify(arrived.call.headers, arrived.call.control.apiKey)));
    held.tenant = tenantOf(caller);
    if (!caller.scopes.has(DATA_PLANE_SCOPE) && !arrived.as) requireOperation(caller, arrived.call);
    const asked = (reached.call = withBody(arrived.call, await arrived.read()));
    const prepared = await gw.prepare(asked, caller);
    const plan = (reached.plan = planOf(asked, caller, prepared, gw.ownKeys));
    // In the order of the profile; a throw denies.
    for (const { name, provides, mark } of gw.gen.policies) {
      if (!provides.admit) continue;
      entering(mark);
      try {
        await pluginAnswer(provides.admit(asked, caller, plan), limits.admit, name, mark ?? 0);
      } catch (thrown) {
        throw blaming(thrown, name);
      }
    }
    if (asked.row.socket) judgeUpgrade(asked.row, asksForSocket(asked), arrived.upgrade);
    const call = (reached.call = asked.body.kind === "form" ? await keptForm(asked, plan.root, held) : asked);
    const request: RoutedRequest = { call, caller, plan, prepared, held };
    const route = gw.gen.operations.get(call.operation);
    const local = route?.local && (await localAnswer(route, request, gw, limits));
    const routed = (reached.routed = !local && route?.prepare ? await withPreparedBody(route, request, gw, limits) : request);
    const reply = local ?? (await firstThatAnswers(plan.root, routed, gw, limits));
    const answered = route?.keeps ? await keptReply(reply, { keeps: route.keeps, mark: markOfOwner(route), call, caller }, gw) : reply;
    if (isOpen(answered))
      return await openSession(
        answered,
        { call, caller, plan, prepared, leave: arrived.leave, held, upgrade: arrived.upgrade, spending: routed.spending ?? nothingSpent() },
        gw,
      );
    return whenDone(answered, { call, caller, plan, leave: arrived.leave, held, routed }, gw);
  } catch (thrown) {
    return refused(thrown, { ...reached, leave: arrived.leave, held }, gw);
  }
}

/** How far a request has come. */
interface Reached {
  call: Call;
  caller: Caller | null;
  plan: Plan | null;
  routed?: RoutedRequest;
}

/** A route that there is not is none of whoever may not pass requests on, either. */
function requireOperation(caller: Caller, call: Call): void {
  const { row, operation, control } = call;
  if (row.passes === "unmounted" && !caller.scopes.has(row.scope) && choosesNobody(control)) throw noProvider(call);
  requireScope(caller, row.scope, operation);
}
const asksForSocket = ({ headers }: Call): boolean => headers.get("upgrade")?.toLowerCase() === "websocket";

/** Member by member, because copying an object of unknown shape costs more than all of this. */
const withBody = (
  { id, operation, row, method, path, params, search, headers, control, traceId, startedAt, signal, inner }: Call,
  body: Body,
): Call => ({ id, operation, row, method, path, params, search, headers, control, traceId, body, startedAt, signal, inner });

/** What the gateway itself can answer, before any target is looked for. */
function localAnswer(
  route: MountedRoute,
  { call, caller, plan, held }: RoutedRequest,
  gw: Gateway,
  limits: PluginLimits,
): MaybePromise<Reply | undefined> {
  const mark = markOfOwner(route);
  entering(mark);
  let asked: ReturnType<NonNullable<MountedRoute["local"]>>;
  try {
    asked = route.local?.(call, caller, plan);
  } catch (thrown) {
    throw blaming(thrown, nameOf(mark));
  }
  if (asked === undefined) return undefined;
  const own = asked.catch((thrown: unknown) => {
    throw blaming(thrown, nameOf(mark));
  });
  const body = pluginAnswer(own, limits.local, () => providing("api", call.operation, gw), mark);
  return after(body, (answer) => {
    if (answer === undefined) return undefined;
    const text = JSON.stringify(answer);
    held.take(textCost(text.length));
    return ownReply(200, text, answer);
  });
}

/** The request with the body that its operation's plugin has made of the client's; as it is where that leaves it. */
async function withPreparedBody(route: MountedRoute, request: RoutedRequest, gw: Gateway, limits: PluginLimits): Promise<RoutedRequest> {
  const { call, caller, held } = request;
  const mark = markOfOwner(route);
  entering(mark);
  let made: PreparedBody;
  try {
    const asked = route.prepare?.(call, caller);
    if (asked === undefined) return request;
    made = await pluginAnswer(asked, limits.local, () => providing("api", call.operation, gw), mark);
  } catch (thrown) {
    throw blaming(thrown, nameOf(mark));
  }
  const { body, bytes, echo } = made;
  held.take(textCost(bytes));
  return { ...request, call: withBody(call, { kind: "json", text: null, value: body }), echo };
}

/** Walks the tree of targets as its strategies say; the last target tried has answered. */
const firstThatAnswers = (node: TargetNode, request: RoutedRequest, gw: Gateway, limits: PluginLimits): Promise<Reply> =>
  node.kind === "leaf" ? answerFrom(node, request, gw) : firstOf(node, request, gw, limits);

async function firstOf(node: Branch, request: RoutedRequest, gw: Gateway, limits: PluginLimits): Promise<Reply> {
  const strategy = gw.gen.strategies.get(node.mode);
  if (!strategy) throw new GatewayError("STRATEGY_UNKNOWN", { mode: node.mode, modes: [...gw.gen.strategies.keys()].join(", ") });
  const mark = markOfOwner(strategy);
  entering(mark);
  const trial = strategy.try(node, request.call, request.plan);
  const chosen = async (tried?: Reply): Promise<StrategyStep> => {
    entering(mark);
    try {
      const next = tried ? trial.next({ status: tried.status, gatewayMade: tried.gatewayMade }) : trial.next();
      return await pluginAnswer(next, limits.strategy, () => providing("policy", node.mode, gw), mark);
    } catch (thrown) {
      throw blaming(thrown, nameOf(mark));
    }
  };
  let heldBefore = request.held.bytes;
  let reply: Reply | undefined;
  for (let step = await chosen(); !step.done; step = await chosen(reply)) {
    if (reply && goesOnce(request.call)) return reply; // what was sent is gone
    if (reply) {
      heldBefore = leaveBehind(reply, request, heldBefore);
      await discarded(reply.content);
      request.held.backTo(heldBefore);
    }
    reply = await firstThatAnswers(step.value, request, gw, limits);
  }
  if (!reply) throw new GatewayError("CONFIG_INVALID", { why: `${node.path}: no target may be tried (are all weights 0?)` });
  return reply;
}

type StrategyStep = IteratorResult<TargetNode, void>;

/** The plugin that provides an id, for errors. */
const providing = (kind: Kind, id: string, { gen }: Gateway): string =>
  gen.plugins.find(({ name, state, provides }) => state === "running" && name.startsWith(`${kind}/`) && provides.includes(id))?.name ??
  `${kind} of ${id}`;
