import { type Call, type Caller, GatewayError, type Kind, operation, type Plan, type TargetNode } from "#contract";
import { isLateBody } from "../http/body.ts";
import { answerFrom, type Asking } from "./answer.ts";
import { discarded } from "./attempt.ts";
import { goesOnce, keptForm } from "./form.ts";
import type { Gateway } from "./gateway.ts";
import { requireScope } from "./identify.ts";
import { PLUGIN_LIMITS, type PluginLimits, pluginAnswer } from "./in-time.ts";
import { ownReply, type Reply } from "./reply.ts";
import { refused, whenDone } from "./settle.ts";

/** A request at the door: its body is read only once it is known who asks. */
export interface Arrived {
  readonly call: Call;
  /** The same call with its body, judged by the operation's schema. */
  read(): Promise<Call>;
  /** Counts it out of its generation. */
  readonly leave: () => void;
}

/** The whole life of a data-plane request. Read this first; every step is one file beside it. */
export async function handle(arrived: Arrived, gw: Gateway, limits: PluginLimits = PLUGIN_LIMITS): Promise<Response> {
  const known: { call: Call; caller?: Caller; plan?: Plan } = { call: arrived.call };
  try {
    const caller = (known.caller = await gw.identify(arrived.call.headers, arrived.call.control.apiKey));
    requireScope(caller, operation(arrived.call.operation).scope, arrived.call.operation);
    const asked = (known.call = await arrived.read());
    const plan = (known.plan = await gw.plan(asked, caller));
    await admit(asked, caller, plan, gw, limits);
    const call = (known.call = await keptForm(asked, plan.root));
    const reply =
      (await localAnswer(call, caller, plan, gw, limits)) ??
      (await firstThatAnswers(plan.root, { call, caller, plan, guarded: new Map() }, gw, limits));
    return whenDone(reply, { call, caller, plan, leave: arrived.leave }, gw);
  } catch (thrown) {
    const response = refused(
      thrown,
      { call: known.call, caller: known.caller ?? null, plan: known.plan ?? null, leave: arrived.leave },
      gw,
    );
    if (isLateBody(thrown)) response.headers.set("connection", "close"); // the rest of it is not waited for
    return response;
  }
}

/** What the gateway itself can answer, before any target is looked for. */
async function localAnswer(call: Call, caller: Caller, plan: Plan, gw: Gateway, limits: PluginLimits): Promise<Reply | undefined> {
  const asked = gw.gen.operations.get(call.operation)?.local?.(call, caller, plan);
  const body = asked && (await pluginAnswer(asked, limits.local, () => providing("api", call.operation, gw)));
  return body && ownReply(200, JSON.stringify(body), body);
}

/** In the order of the profile; a throw denies. */
async function admit(call: Call, caller: Caller, plan: Plan, gw: Gateway, limits: PluginLimits): Promise<void> {
  for (const { name, provides } of gw.gen.policies) {
    const admitted = pluginAnswer(provides.admit?.(call, caller, plan), limits.admit, () => name);
    if (admitted instanceof Promise) await admitted;
  }
}

/** Walks the tree of targets as its strategies say; the last target tried has answered. */
async function firstThatAnswers(node: TargetNode, asking: Asking, gw: Gateway, limits: PluginLimits): Promise<Reply> {
  if (node.kind === "leaf") return answerFrom(node, asking, gw);
  const strategy = gw.gen.strategies.get(node.mode);
  if (!strategy) throw new GatewayError("STRATEGY_UNKNOWN", { mode: node.mode, modes: [...gw.gen.strategies.keys()].join(", ") });
  const trial = strategy(node, asking.call, asking.plan);
  const chosen = (next: Step | Promise<Step>) => pluginAnswer(next, limits.strategy, () => providing("policy", node.mode, gw));
  let reply: Reply | undefined;
  for (let step = await chosen(trial.next()); !step.done; ) {
    if (reply && goesOnce(asking.call)) return reply; // what was sent is gone
    if (reply) await discarded(reply.content);
    reply = await firstThatAnswers(step.value, asking, gw, limits);
    step = await chosen(trial.next({ status: reply.status, gatewayMade: reply.gatewayMade }));
  }
  if (!reply) throw new GatewayError("CONFIG_INVALID", { why: `${node.path}: no target may be tried (are all weights 0?)` });
  return reply;
}

type Step = IteratorResult<TargetNode, void>;

/** The plugin that provides an id, for errors. */
const providing = (kind: Kind, id: string, { gen }: Gateway): string =>
  gen.plugins.find(({ name, state, provides }) => state === "running" && name.startsWith(`${kind}/`) && provides.includes(id))?.name ??
  `${kind} of ${id}`;
