import { type Static, Type } from "@sinclair/typebox";
import {
  type CheckInput,
  endpointOr,
  type Handles,
  type Json,
  OneOf,
  remoteCheck,
  SAID,
  type Segment,
  type Verdict,
  vendorParams,
} from "#contract";
import { Credentials } from "../credentials.ts";
import { messagesOf } from "../messages.ts";

const Id = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$", description }));
const Params = Type.Object({
  apiVersion: OneOf(["v2", "v3"], { default: "v2", description: "Form of the vendor's API; v3 says what to mask." }),
  conversationId: Id("Conversation that the messages are of (v2)."),
  sessionId: Id("The same (v3)."),
  userId: Id("Who takes part in it."),
  messages: Type.Optional(
    Type.Array(
      Type.Object({
        role: OneOf(["system", "user", "assistant"], { description: "Role." }),
        content: Type.String({ description: "Text." }),
      }),
      { maxItems: 100, description: "Messages that are classified before those of the request." },
    ),
  ),
  ...vendorParams(),
});
const Reply = Type.Object({
  violations_detected: Type.Boolean(),
  deputies: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  findings: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Array(Type.Object({ action: Type.Optional(Type.String()) }))), Type.Null()]),
  ),
  messages: Type.Optional(Type.Union([Type.Array(Type.Object({ content: Type.String() })), Type.Null()])),
});
type Input = CheckInput<Static<typeof Params>>;

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "partner_i.classify",
    title: "Classifiers of messages",
    on: ["input", "output"],
    wants: SAID,
    scope: "all_messages",
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Reply,
    url: ({ params }, { apiEndpoint }) => `${endpointOr(apiEndpoint, "https://server.lasso.security")}/gateway/${PATHS[params.apiVersion]}`,
    headers: ({ params }, { apiKey }) => ({ "lasso-api-key": apiKey, ...idHeaders(params) }),
    ask,
    judge,
  });
const PATHS = { v2: "v2/classify", v3: "v3/classifix" } as const;

const idHeaders = ({ conversationId, sessionId = conversationId, userId }: Input["params"]): Record<string, string> => ({
  ...(sessionId !== undefined && { "lasso-conversation-id": sessionId }),
  ...(userId !== undefined && { "lasso-user-id": userId }),
});

function ask(input: Input): Json {
  const { params, side } = input;
  const messages = [...(params.messages ?? []), ...messagesOf(input)];
  if (params.apiVersion === "v2") return { messages };
  const { conversationId, sessionId = conversationId, userId } = params;
  return {
    messages,
    messageType: side === "input" ? "PROMPT" : "COMPLETION",
    ...(sessionId !== undefined && { sessionId }),
    ...(userId !== undefined && { userId }),
  };
}

/** Where findings say what is to be done, that decides; where they do not, any violation denies. */
function judge({ violations_detected, deputies, findings, messages }: Static<typeof Reply>, { segments, params }: Input): Verdict {
  const actions = Object.values(findings ?? {}).flatMap((list) => list.map(({ action }) => action ?? "BLOCK"));
  const violated = Object.keys(deputies ?? {}).filter((name) => deputies?.[name] === true);
  const data = { violations_detected, deputies, actions: [...new Set(actions)] };
  if (!violations_detected) return { verdict: "allow", data };
  const deny: Verdict = { verdict: "deny", reason: `Violations detected${violated.length > 0 ? `: ${violated.join(", ")}` : ""}.`, data };
  if (actions.length === 0 || actions.some((action) => !MILD.has(action))) return deny;
  if (!actions.includes("AUTO_MASKING")) return { verdict: "allow", data };
  const masked = (messages ?? []).slice(params.messages?.length ?? 0);
  if (masked.length !== segments.length) return deny; // what was masked cannot be put where it stood
  const changed = patches(segments, masked);
  return changed.length > 0 ? { verdict: "transform", patches: changed, data } : deny;
}
/** Actions that let a request go on. */
const MILD: ReadonlySet<string> = new Set(["AUTO_MASKING", "WARN"]);

const patches = (segments: readonly Segment[], masked: readonly { readonly content: string }[]) =>
  segments.flatMap(({ path, text }, index) => {
    const content = masked[index]?.content ?? text;
    return content === text ? [] : [{ path, text: content }];
  });
