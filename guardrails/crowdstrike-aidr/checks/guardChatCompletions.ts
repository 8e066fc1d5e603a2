import { type Static, Type } from "@sinclair/typebox";
import {
  type CheckInput,
  endpointOr,
  type Handles,
  type Json,
  remoteCheck,
  SAID,
  type Segment,
  vendorParams,
  type Verdict,
} from "#contract";
import { Credentials } from "../credentials.ts";

const Reply = Type.Object({
  status: Type.Optional(Type.String()),
  result: Type.Object({
    blocked: Type.Optional(Type.Boolean()),
    transformed: Type.Optional(Type.Boolean()),
    policy: Type.Optional(Type.String()),
    guard_output: Type.Optional(
      Type.Union([
        Type.Object({ messages: Type.Optional(Type.Array(Type.Object({ content: Type.Optional(Type.Unknown()) }))) }),
        Type.Null(),
      ]),
    ),
    detectors: Type.Optional(
      Type.Union([
        Type.Record(Type.String(), Type.Union([Type.Object({ detected: Type.Optional(Type.Boolean()) }), Type.Null()])),
        Type.Null(),
      ]),
    ),
  }),
});
type Result = Static<typeof Reply>["result"];

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "crowdstrike-aidr.guardChatCompletions",
    title: "The policy of a collector",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Type.Object(vendorParams()),
    credentials: Credentials,
    reply: Reply,
    url: (_, { baseUrl }) => `${endpointOr(baseUrl, "https://api.crowdstrike.com/aidr/aiguard")}/v1/guard_chat_completions`,
    headers: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
    ask,
    judge,
  });

/** One message for each text, so that what comes back changed can be put where it stood. */
function ask({ segments, side, call }: Pick<CheckInput<unknown>, "segments" | "side" | "call">): Json {
  const { provider, model, metadata, request } = call;
  const tools: unknown = side === "input" ? request?.["tools"] : undefined;
  const user = metadata["_user"] ?? metadata["user_id"];
  const userName = metadata["_user_name"] ?? metadata["user_name"];
  return {
    guard_input: {
      messages: segments.map(({ role, text }) => ({ role, content: text })),
      ...(Array.isArray(tools) && tools.length > 0 && { tools }),
    },
    event_type: side,
    app_id: "ai-gateway",
    ...(user !== undefined && { user_id: user }),
    ...(provider !== null && { llm_provider: provider }),
    ...(model !== null && { model }),
    ...(userName !== undefined && { extra_info: { user_name: userName } }),
  };
}

function judge({ status, result }: Static<typeof Reply>, { segments }: Pick<CheckInput<unknown>, "segments">): Verdict {
  if (status !== undefined && status !== "Success")
    return { verdict: "error", class: "malformed", message: `The service answers ${status.slice(0, 80)}.` };
  const { blocked = false, transformed = false, policy, detectors } = result;
  const detected = Object.entries(detectors ?? {}).flatMap(([name, of]) => (of?.detected === true ? name : []));
  const data = { policy, blocked, transformed, detected };
  const deny: Verdict = { verdict: "deny", reason: `The policy ${(policy ?? "").slice(0, 80)} blocks it.`.replace("  ", " "), data };
  if (blocked) return deny;
  if (!transformed) return { verdict: "allow", data };
  const patches = patchesOf(result, segments);
  return patches === undefined ? deny : { verdict: "transform", patches, data };
}

/** `undefined` where what was changed cannot be put where it stood. */
function patchesOf({ guard_output }: Result, segments: readonly Segment[]) {
  const contents = (guard_output?.messages ?? []).map(({ content }) => content);
  if (contents.length !== segments.length || !contents.every((content) => typeof content === "string")) return undefined;
  const patches = segments.flatMap(({ path, text }, index) => {
    const changed = contents[index] ?? text;
    return changed === text ? [] : [{ path, text: changed }];
  });
  return patches.length > 0 ? patches : undefined;
}
