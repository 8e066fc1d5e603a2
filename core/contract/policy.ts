import type { Static, TObject } from "@sinclair/typebox";
import type { ConfigMembers } from "./config-members.ts";
import type { Usage } from "./stream.ts";
import type { Branch, Call, Caller, Outcome, Plan, RequestHeaders, TargetNode } from "./request.ts";

/** A policy: a few optional hooks. The way answers of several policies combine is named beside each. */
export interface Policy {
  /** First answer wins. `undefined` means "not my kind of key"; a throw ends the request (401, 503). */
  identify?(request: IdentifyRequest): Promise<Caller | undefined> | Caller | undefined;
  /**
   * What a known caller may do and see on the control and admin planes, and on plain routes of the data plane: the same, or one
   * that is bound. In the order of the profile, each is given what the one before it returned; a throw denies.
   */
  authorize?(caller: Caller): Promise<Caller> | Caller;
  /** In the order of the profile; a throw denies. */
  admit?(call: Call, caller: Caller, plan: Plan): Promise<void> | void;
  /** Keyed by strategy mode; a mode may be provided once. Made with `defineStrategy`. */
  readonly strategies?: { readonly [mode: string]: Strategy };
  /** All, in parallel, after the client has its bytes; never delays the answer. */
  settle?(outcome: Outcome): Promise<void> | void;
  /**
   * A session (an operation that is a WebSocket) has used so much more and goes on: what is counted is counted now. A throw
   * ends the session, in its words. `settle` hears of the whole at its end.
   */
  spent?(usage: Usage, of: Spender): Promise<void> | void;
  /** Members of configs that it obeys, beside the settings of its strategies. */
  readonly obeys?: ConfigMembers;
}

/** Whose session it is. */
export interface Spender {
  readonly call: Call;
  readonly caller: Caller;
  readonly plan: Plan;
}

/** What identify may look at: the credentials, already parsed. */
export interface IdentifyRequest {
  /** `x-gateway-api-key`, else the bearer token, else `x-api-key`, else what an api plugin's `keyHeaders` name. Empty when none was sent. */
  readonly key: string;
  readonly headers: RequestHeaders;
  readonly now: number;
}

/** A routing strategy, and what a config may say to it. */
export interface Strategy<S extends TObject = TObject> {
  /**
   * The members of `strategy`, beside `mode`, that this mode obeys; each has a description, and may be left out unless
   * the mode cannot do without. Others are refused, so that no config asks for what nobody does.
   */
  readonly settings: S;
  /**
   * Yields the child to try, is told how that went, and returns when it is content. The last child's answer is the
   * request's answer. A child may itself be a branch.
   */
  try(node: Branch<Static<S>>, call: Call, plan: Plan): Trial | AsyncTrial;
}
/** Identity at run time; infers the type of `node.settings` from the schema. */
export const defineStrategy = <S extends TObject>(strategy: Strategy<S>): Strategy => strategy as unknown as Strategy;
export type Trial = Generator<TargetNode, void, Tried>;
export type AsyncTrial = AsyncGenerator<TargetNode, void, Tried>;
export interface Tried {
  readonly status: number;
  /** Made by the gateway itself (bad target, blocked host): trying elsewhere would hide a mistake. */
  readonly gatewayMade: boolean;
}
