import type { Branch, Call, Caller, Outcome, Plan, RequestHeaders, TargetNode } from "./request.ts";

/** A policy: four optional hooks. The way answers of several policies combine is named beside each. */
export interface Policy {
  /** First answer wins. `undefined` means "not my kind of key"; a throw ends the request (401, 503). */
  identify?(request: IdentifyRequest): Promise<Caller | undefined> | Caller | undefined;
  /** In the order of the profile; a throw denies. */
  admit?(call: Call, caller: Caller, plan: Plan): Promise<void> | void;
  /** Keyed by strategy mode; a mode may be provided once. */
  readonly strategies?: { readonly [mode: string]: Strategy };
  /** All, in parallel, after the client has its bytes; never delays the answer. */
  settle?(outcome: Outcome): Promise<void> | void;
}

/** What identify may look at: the credentials, already parsed. */
export interface IdentifyRequest {
  /** `x-gateway-api-key`, else the bearer token. Empty when none was sent. */
  readonly key: string;
  readonly headers: RequestHeaders;
  readonly now: number;
}

/**
 * A routing strategy: yields the child to try, is told how that went, and returns when it is content. The last
 * child's answer is the request's answer. A child may itself be a branch.
 */
export type Strategy = (node: Branch, call: Call, plan: Plan) => Trial | AsyncTrial;
export type Trial = Generator<TargetNode, void, Tried>;
export type AsyncTrial = AsyncGenerator<TargetNode, void, Tried>;
export interface Tried {
  readonly status: number;
  /** Made by the gateway itself (bad target, blocked host): trying elsewhere would hide a mistake. */
  readonly gatewayMade: boolean;
}
