import type { InnerCalls, InnerOrigin } from "./dispatch.ts";
import type { Control } from "./header.ts";
import type { Json, JsonText } from "./json.ts";
import type { MountedOperation, OperationName } from "./operation.ts";
import type { GuardrailResult } from "./guardrail.ts";
import type { Usage, WireError } from "./stream.ts";

/*
 * The values that travel with a request. Each has one writer and is read-only afterwards:
 * Call by the route, Caller by a policy's identify, Plan by plan.ts, Outcome by reply.ts.
 */

/** A client's own headers, as received; names are found in any case and told in lower case. The web's Headers is one. */
export interface RequestHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
  forEach<This>(visit: (this: This, value: string, name: string) => void, self?: This): void;
}

/** What was asked. */
export interface Call {
  /** Id of this request; also the id of its log record. UUID. */
  readonly id: string;
  readonly operation: OperationName;
  /** What that operation is, and what its bodies hold. */
  readonly row: MountedOperation;
  readonly method: string;
  /** Path below the prefix of its operation (`/v1`, mostly), parameters filled in and encoded, e.g. `/batches/batch_1`. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Query string with its `?`, or empty; a key that was in it is taken out. */
  readonly search: string;
  readonly headers: RequestHeaders;
  readonly control: Control;
  readonly traceId: string;
  readonly body: Body;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Fires when the client leaves. */
  readonly signal: AbortSignal;
  /** No client asked it, but a plugin. */
  readonly inner?: InnerOrigin | undefined;
}
export type Body =
  | { readonly kind: "none" }
  /** `text` is as it came, or `null` once an override or a guardrail has changed what it says. */
  | {
      readonly kind: "json";
      readonly text: JsonText | null;
      readonly value: Json;
      /** It passes, and is not what its operation reads: nobody vouches for what is found in it. */
      readonly unfit?: true;
    }
  /** Whatever else passes, on its way through: it can be sent once. `model` is the field of that name of a form, as soon as that has passed. */
  | {
      readonly kind: "raw";
      /** Empty where the request says none. */
      readonly contentType: string;
      readonly stream: ReadableStream<Uint8Array>;
      readonly model?: () => string | undefined;
      /** Of a form: see there. */
      readonly findModel?: () => Promise<string | undefined>;
      readonly watch?: (watcher: (piece: Uint8Array | undefined) => Promise<void>) => void;
    }
  /** A multipart form on its way through: it can be sent once. `model` is its field of that name, as soon as that has passed. */
  | {
      readonly kind: "form";
      readonly contentType: string;
      readonly stream: ReadableStream<Uint8Array>;
      readonly model?: () => string | undefined;
      /** Reads on until that field is known: what comes before it, files too, waits in memory until it is sent. */
      readonly findModel?: () => Promise<string | undefined>;
      /** From now on each piece is shown before it is sent, and `undefined` before its end; what is thrown then ends the request. */
      readonly watch?: (watcher: (piece: Uint8Array | undefined) => Promise<void>) => void;
    }
  /** A multipart form that a guardrail had to read: it can be sent again. */
  | {
      readonly kind: "form-read";
      readonly contentType: string;
      readonly bytes: Uint8Array;
      readonly fields: Readonly<Record<string, string>>;
    };

/** Who asked. */
export interface Caller {
  readonly organisationId: string;
  /** `null` for an organisation service key. */
  readonly workspaceId: string | null;
  readonly keyId: string;
  readonly keyName: string;
  readonly keyType: "organisation-service" | "workspace-service" | "workspace-user";
  readonly userId: string | null;
  readonly scopes: ReadonlySet<string>;
  /** Why the control and admin planes are closed to this caller, whatever its scopes; absent where they are open. */
  readonly dataPlaneOnly?: string;
  /** Defaults of the key. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly configId: string | null;
  readonly allowConfigOverride: boolean;
  /** What policies hold this caller to, by the names of their terms (`callerTerm`). */
  readonly terms?: CallerTerms;
}
export type CallerTerms = Readonly<Record<string, unknown>>;

/** Whose share of a thing that tenants share a request takes: its workspace's, or else its organisation's. */
export const tenantOf = ({ workspaceId, organisationId }: Pick<Caller, "workspaceId" | "organisationId">): string =>
  workspaceId ?? organisationId;

/** Whose request it is. */
export type TenantIds = Pick<Caller, "organisationId" | "workspaceId">;

/** What will be done. */
export interface Plan {
  readonly root: TargetNode;
  /** Merged: workspace over key over request. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly configSlug: string | null;
  /** The model the client named, when it named one. */
  readonly model: string | null;
}
export type TargetNode = Branch | Leaf;
interface Node {
  /** JSON path of this node in the config: `config`, `config.targets[1]`. */
  readonly path: string;
  readonly name: string | null;
  /** Load-balance share; 0 stops traffic. */
  readonly weight: number;
  /** Members that plugins claim (`obeys`), each from the nearest level that has it. */
  readonly members: Json;
}
export interface Branch<S = Json> extends Node {
  readonly kind: "branch";
  /** Strategy mode, a key of some policy's `strategies`. */
  readonly mode: string;
  /** The whole `strategy` object of the config, as the strategy's `settings` schema has accepted it. */
  readonly settings: S;
  readonly targets: readonly TargetNode[];
}
export interface Leaf extends Node {
  readonly kind: "leaf";
  /** Provider id (`openai`) or `@slug`; `null` lets the body's `@slug/model` decide. */
  readonly provider: string | null;
  /** Target fields given in place (snake_case), before the provider's schema has judged them. */
  readonly fields: Json;
  /** A provider credential given in place. */
  readonly apiKey: string | null;
  readonly customHost: string | null;
  readonly timeoutMs: number | null;
  readonly retry: { readonly attempts: number; readonly onStatusCodes: readonly number[]; readonly useRetryAfter: boolean };
  readonly overrideParams: Json | null;
  readonly defaultParams: Json | null;
  readonly dropParams: readonly string[];
  readonly forwardHeaders: readonly string[];
  readonly strict: boolean | null;
  /** Guardrail slugs or inline guardrails of the nearest level that names any. The same array means the same level. */
  readonly inputGuardrails: readonly (string | Json)[];
  readonly outputGuardrails: readonly (string | Json)[];
  readonly cache: { readonly mode: string; readonly maxAgeSec: number | null } | null;
}

export type CacheStatus = "HIT" | "SEMANTIC HIT" | "MISS" | "SEMANTIC MISS" | "DISABLED" | "REFRESH";

/** What came of it. Written once, after the client has its bytes (or has left). */
export interface Outcome {
  readonly call: Call;
  readonly caller: Caller | null;
  readonly plan: Plan | null;
  readonly status: number;
  readonly ended: "ok" | "error" | "partial" | "aborted";
  readonly error: WireError | null;
  /** Provider id and `@slug` of the target that answered. */
  readonly provider: string | null;
  readonly providerSlug: string | null;
  readonly model: string | null;
  /** JSON path of the target that answered. */
  readonly lastUsedOption: string | null;
  readonly retries: number;
  readonly cacheStatus: CacheStatus;
  readonly streamed: boolean;
  readonly usage: Usage | null;
  /** US cents; `null` when no price is known for the model. */
  readonly costCents: number | null;
  /** What its checks asked of models; neither its usage nor its cost holds that. */
  readonly innerCalls?: InnerCalls | undefined;
  readonly guardrails: GuardrailResults;
  readonly timing: Timing;
  /** For the log; `null` when bodies are not kept. */
  readonly bodies: Bodies | null;
}
export interface GuardrailResults {
  readonly input: readonly GuardrailResult[];
  readonly output: readonly GuardrailResult[];
  /** The JSON text of `hook_results`, when it has been written already. */
  readonly text: string | null;
}
/** Milliseconds. */
export interface Timing {
  readonly totalMs: number;
  /** Inside the gateway, upstream excluded. */
  readonly gatewayMs: number;
  readonly upstreamMs: number;
  readonly timeToFirstTokenMs: number | null;
}
export interface Bodies {
  readonly request: string | null;
  /** What went upstream. */
  readonly upstreamUrl: string | null;
  readonly upstreamRequest: string | null;
  /** Raw answer without what the gateway wrote into it; a stream keeps its wire text. */
  readonly response: string | null;
  readonly truncated: boolean;
}
