import { type Static, Type } from "@sinclair/typebox";
import { type CheckInput, type Handles, type Json, OneOf, remoteCheck, SAID, vendorParams } from "#contract";
import { Credentials } from "../credentials.ts";
import { SCAN_SCOPES, scannedText } from "../scanned-text.ts";

const Text = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });
const Params = Type.Object({
  profile_name: Type.Optional(Text("Security profile, by its name; default: the API key's own.")),
  profile_id: Type.Optional(Text("Security profile, by its id.")),
  ai_model: Type.String({ default: "unknown-model", minLength: 1, maxLength: 255, description: "Model, as the vendor's reports show it." }),
  app_user: Type.String({ default: "ai-gateway", minLength: 1, maxLength: 255, description: "User, as the reports show it." }),
  app_name: Type.Optional(Text("Application, as the reports show it after the gateway's name.")),
  scan_scope: OneOf(SCAN_SCOPES, { default: "last_message", description: "Which messages of a request are scanned." }),
  strip_scaffolding: Type.Boolean({
    default: false,
    description: "Take out what coding agents are known to wrap around messages; what tools answer is kept.",
  }),
  ...vendorParams(),
});
type Input = CheckInput<Static<typeof Params>>;

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "partner_k.intercept",
    title: "A security profile",
    on: ["input", "output"],
    wants: SAID,
    scope: "all_messages",
    params: Params,
    credentials: Credentials,
    reply: Type.Object({
      action: Type.String(),
      category: Type.Optional(Type.String()),
      scan_id: Type.Optional(Type.String()),
      report_id: Type.Optional(Type.String()),
      profile_name: Type.Optional(Type.String()),
      prompt_detected: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      response_detected: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
    url: () => "https://service.api.aisecurity.paloaltonetworks.com/v1/scan/sync/request",
    headers: (_, { apiKey }) => ({ "x-pan-token": apiKey }),
    ask,
    judge(reply) {
      const { action, category, scan_id, report_id, profile_name, prompt_detected, response_detected } = reply;
      const data = { action, category, scan_id, report_id, profile_name, prompt_detected, response_detected };
      return action === "block"
        ? { verdict: "deny", reason: `The profile blocks it${category ? `: ${category}` : ""}.`, data }
        : { verdict: "allow", data };
    },
  });

function ask(input: Input): Json {
  const { params, side, call } = input;
  const { ai_model, app_user, app_name, profile_name, profile_id } = params;
  const text = scannedText(input, params);
  return {
    tr_id: call.traceId,
    metadata: { ai_model, app_user, app_name: app_name === undefined ? "ai-gateway" : `ai-gateway-${app_name}` },
    contents: [side === "input" ? { prompt: text } : { response: text }],
    ...((profile_name ?? profile_id) !== undefined && { ai_profile: { profile_name, profile_id } }),
  };
}
