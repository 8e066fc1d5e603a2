import { Type } from "@sinclair/typebox";
import { type CheckInput, endpointOr, type Handles, type Json, remoteCheck, SAID, vendorParams } from "#contract";
import { Credentials } from "../credentials.ts";

const Params = Type.Object({
  projectID: Type.String({ minLength: 1, maxLength: 255, description: "Project whose policies judge." }),
  ...vendorParams(),
});

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "partner_b.validateProject",
    title: "The policies of a project",
    on: ["input", "output"],
    wants: SAID,
    scope: "all_messages",
    params: Params,
    credentials: Credentials,
    reply: Type.Object({ action: Type.String(), explain_log: Type.Optional(Type.Unknown()) }),
    url: ({ params }, { apiEndpoint }) =>
      `${endpointOr(apiEndpoint, "https://gr-prd.aporia.com")}/${encodeURIComponent(params.projectID)}/validate`,
    headers: (_, { apiKey }) => ({ "x-aporia-api-key": apiKey }),
    ask: (input) => (input.side === "input" ? ofPrompt(input) : ofResponse(input)),
    judge({ action, explain_log }) {
      const data = { action, explain_log };
      if (action === "passthrough") return { verdict: "allow", data };
      return { verdict: "deny", reason: `The project's policies say ${action.slice(0, 80)}.`, data };
    },
  });

/** A prompt's messages are texts. */
const ofPrompt = ({ segments }: Pick<CheckInput<unknown>, "segments">): Json => ({
  messages: segments.map(({ text }) => text),
  explain: true,
  validation_target: "prompt",
});
/** An answer is judged beside the messages that it answers, as they stand. */
const ofResponse = ({ text, call }: Pick<CheckInput<unknown>, "text" | "call">): Json => ({
  messages: call.request?.["messages"],
  explain: true,
  response: text,
  validation_target: "response",
});
