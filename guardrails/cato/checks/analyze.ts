import { type Static, Type } from "@sinclair/typebox";
import { type CheckInput, endpointOr, type Handles, type Json, questionOf, remoteCheck, SAID, vendorParams, type Verdict } from "#contract";
import { Credentials } from "../credentials.ts";

const Told = (description: string) => Type.Optional(Type.String({ pattern: "^[\\x21-\\x7e]{1,255}$", description }));
const Params = Type.Object({
  userEmail: Told("Who asks, as the vendor's reports show it."),
  keyAlias: Told("Name of the key, as the reports show it."),
  ...vendorParams(),
});
type Input = CheckInput<Static<typeof Params>>;

const Redacted = Type.Optional(
  Type.Union([
    Type.Object({ all_redacted_messages: Type.Optional(Type.Union([Type.Array(Type.Object({ content: Type.Unknown() })), Type.Null()])) }),
    Type.Null(),
  ]),
);
const Reply = Type.Object({
  analysis_result: Type.Optional(Type.Unknown()),
  redacted_chat: Redacted,
  required_action: Type.Union([
    Type.Object({
      action_type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      detection_message: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      chat_redaction_result: Redacted,
    }),
    Type.Null(),
  ]),
});

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "cato.analyze",
    title: "The policies of an account",
    on: ["input", "output"],
    wants: SAID,
    scope: "all_messages",
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Reply,
    url: (_, { apiBase }) => `${endpointOr(apiBase, "https://api.aisec.catonetworks.com")}/fw/v1/analyze`,
    headers: ({ params: { userEmail, keyAlias }, call }, { apiKey }) => ({
      authorization: `Bearer ${apiKey}`,
      ...(call.traceId !== "" && { "x-cato-call-id": call.traceId }),
      ...(userEmail !== undefined && { "x-cato-user-email": userEmail }),
      ...(keyAlias !== undefined && { "x-cato-gateway-key-alias": keyAlias }),
    }),
    ask: (input) => ({ messages: [...askedBefore(input), ...input.segments.map(({ role, text }) => ({ role, content: text }))] }),
    judge,
  });

/** An answer is analysed behind what it answers. */
const askedBefore = ({ side, call }: Pick<Input, "side" | "call">): readonly Json[] =>
  side === "input" ? [] : [{ role: "user", content: questionOf(call.request) }];

function judge({ required_action, redacted_chat }: Static<typeof Reply>, input: Input): Verdict {
  const { action_type, detection_message, chat_redaction_result } = required_action ?? {};
  const data = { action: action_type ?? null, message: detection_message?.slice(0, 200) ?? null };
  const deny: Verdict = { verdict: "deny", reason: `The policies block it${data.message ? `: ${data.message}` : ""}.`, data };
  if (action_type === "block_action") return deny;
  if (action_type !== "anonymize_action") return { verdict: "allow", data };
  const redacted = (chat_redaction_result ?? redacted_chat)?.all_redacted_messages ?? [];
  const own = redacted.slice(askedBefore(input).length).map(({ content }) => content);
  const patches = input.segments.flatMap(({ path, text }, index) => {
    const content = own[index];
    return typeof content === "string" && content !== text ? [{ path, text: content }] : [];
  });
  const fits = own.length === input.segments.length && own.every((content) => typeof content === "string");
  return fits && patches.length > 0 ? { verdict: "transform", patches, data } : deny; // else what was masked cannot be put where it stood
}
