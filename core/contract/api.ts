import type { Static, TSchema } from "@sinclair/typebox";
import type { ConfigMembers } from "./config-members.ts";
import type { Dialect } from "./dialect.ts";
import { DATA_PREFIX, type MountedOperation, type OperationBodies, type OperationId, type OwnOperation } from "./operation.ts";
import type { Json } from "./json.ts";
import type { KeptAnswers, PreparedBody } from "./kept-answers.ts";
import type { Passing } from "./passing.ts";
import type { Call, Caller, Plan } from "./request.ts";

/** A data-plane plugin: the operations it mounts (under `/v1`, or where a vendor's own clients ask), the dialects it speaks, and plain routes of its own. */
export interface Api {
  readonly operations?: readonly OperationRoute[];
  readonly dialects?: readonly Dialect[];
  readonly routes?: readonly Route[];
  /** What is asked below `/v1/proxy`, and where nobody mounts anything: one plugin may take it. */
  readonly passing?: Passing;
  /**
   * Headers, in lower case, in which clients of its dialects say the one key that they have: the gateway's, or the provider's
   * where the gateway's came otherwise. `…-api-key`, so that whoever looks at a name alone takes it for a credential.
   */
  readonly keyHeaders?: readonly string[];
  /** Members of configs that it obeys. */
  readonly obeys?: ConfigMembers;
}

/** Bodies that a reader may send as they are, by what they show; each obeys the body's schema. */
export type Examples = Readonly<Record<string, Json>>;

/** Mounts an operation: a row of the table, or one of the plugin's own. The pipeline handles it; the plugin says what bodies look like. */
export interface OperationRoute extends OperationBodies {
  readonly operation: OperationId | OwnOperation;
  /** Request body for validation and documentation. Open (`additionalProperties: true`): unknown members travel on. */
  readonly body?: TSchema;
  /** Of a form that may come as JSON too, its files as links, ids or data: what that body looks like. Open, as `body` is. */
  readonly json?: TSchema;
  /**
   * For a provider without an adapter for it: which other operation without events serves it, a body in that one's form,
   * and its whole answer in this one's. (An operation with events is served by way of its dialect.)
   */
  readonly served?: { readonly by: OperationId; request(body: Json): Json; answer(body: Json): Json };
  readonly query?: TSchema;
  /** Answer for documentation; the provider's answer is not reshaped by it. */
  readonly reply: TSchema;
  readonly description?: string;
  readonly examples?: Examples;
  /** Values of path parameters with which the examples work. */
  readonly exampleParams?: Readonly<Record<string, string>>;
  /** Answers from what the gateway itself knows, before any target is looked for; `undefined` goes on to a provider. */
  readonly local?: (call: Call, caller: Caller, plan: Plan) => Promise<Json | undefined> | undefined;
  /**
   * Replaces a JSON body that refers to something only the gateway has, once policies have admitted the request and before
   * guardrails see it; `undefined`, without a promise, where it does not. The log keeps the client's own.
   */
  readonly prepare?: (call: Call, caller: Caller) => Promise<PreparedBody> | undefined;
  /** Who keeps its answers where the gateway makes them itself. */
  readonly keeps?: KeptAnswers;
}

/** A plain route, data plane or control plane: its own handler, default-deny auth. */
export interface Route<B extends TSchema = TSchema, Q extends TSchema = TSchema, R extends TSchema = TSchema> {
  readonly plane: Plane;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the plane's prefix; `:name` marks a path parameter. */
  readonly path: string;
  /** Path parameters that are one of few words, and these words. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Scope a key needs (any one of several); `public` is written out where nobody need be known. */
  readonly scope: string | readonly string[] | { readonly public: true };
  readonly body?: B;
  readonly examples?: Examples;
  /** A list may come in place of one body, as its schema says. */
  readonly bodyList?: true;
  /**
   * What the audit log calls it, where that is not what its writes do: `sign_in`, or `reveal` of a GET that shows a secret.
   * `false`: it changes nothing, whatever its method. Without it, every route of the control and admin planes that is no
   * GET leaves an entry.
   */
  readonly action?: string | false;
  /** Largest body in bytes; 1 MB unless it says otherwise, which is more than anybody writes by hand. */
  readonly maxBodyBytes?: number;
  readonly query?: Q;
  readonly reply: R;
  /** Of one record: its answers carry an ETag and obey If-None-Match, or its writes obey If-Match. */
  readonly conditional?: "read" | "write";
  /** Statuses of the errors it documents. */
  readonly errors?: readonly number[];
  /** The body of an error, where older clients read another one than their plane's. */
  readonly failure?: NonNullable<MountedOperation["failure"]>;
  handle(input: RouteInput<Static<B>, Static<Q>>): Promise<Static<R> | Response> | Static<R> | Response;
}
export type Plane = "data" | "control" | "admin";
/** Where each plane is mounted. */
export const PREFIX: Readonly<Record<Plane, string>> = { data: DATA_PREFIX, control: "/v2", admin: "/admin/v2" };
export interface RouteInput<B, Q> {
  readonly body: B;
  readonly query: Q;
  readonly params: Readonly<Record<string, string>>;
  /** Absent only on public routes. */
  readonly caller: Caller;
  readonly request: Request;
  readonly now: number;
  /** Who a public route found to be asking: the audit log names them with what is written from then on. */
  readonly actAs?: (person: { readonly id: string; readonly name: string }) => void;
  /** Headers of the answer beside its type; absent where nobody sends it over HTTP. */
  readonly answerHeaders?: Headers;
}
/** Identity at run time; infers a route's body and query from their schemas. */
export const defineRoute = <B extends TSchema, Q extends TSchema, R extends TSchema>(route: Route<B, Q, R>): Route =>
  route as unknown as Route;
