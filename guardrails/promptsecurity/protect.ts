import { type Static, Type } from "@sinclair/typebox";
import {
  type Check,
  type CheckInput,
  type Handles,
  type Json,
  RedactParam,
  remoteCheckOfEach,
  SAID,
  type Side,
  systemTextOf,
  type TextFinding,
  vendorParams,
} from "#contract";
import { Credentials } from "./credentials.ts";

export type Host = Pick<Handles, "fetch">;

const Params = Type.Object({
  policy: Type.Optional(
    Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
      maxProperties: 200,
      description: "Settings of the vendor's detectors, by their names; default: those of the application.",
    }),
  ),
  redact: RedactParam,
  monitorOnly: Type.Boolean({ default: false, description: "Have the vendor look and log, and block nothing." }),
  user: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "Who asks; default: the metadata `_user` or `user` of the request." }),
  ),
  userGroups: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255, description: "Group." }), { maxItems: 100, description: "Groups of who asks." }),
  ),
  ...vendorParams(),
});
type Params = Static<typeof Params>;

const Protection = Type.Object({
  action: Type.String(),
  violations: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  modified_text: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
/** The vendor says nothing of a text that no policy is for. */
const Result = Type.Optional(Type.Union([Protection, Type.Null()]));
const Reply = Type.Object({ result: Type.Object({ prompt: Result, response: Result }, { minProperties: 1 }) });

interface Protect {
  readonly id: string;
  readonly title: string;
  readonly side: Side;
  /** Member of the request with the text, and of the answer with what is said of it. */
  readonly member: "prompt" | "response";
}

/** The vendor's protocol: two checks that differ in side and member. */
export const protect = (host: Host, { id, title, side, member }: Protect): Check =>
  remoteCheckOfEach(host, {
    id,
    title,
    on: [side],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Reply,
    url: (_, { apiDomain }) => `https://${apiDomain}/api/protect`,
    headers: (_, { apiKey }) => ({ "app-id": apiKey }),
    ask: ({ text }, input) => ({ [member]: text, ...askedBeside(input) }),
    judge: ({ result }, { text }, { params }) => findingOf(result[member], text, params),
  });

function askedBeside({ params: { policy, user, userGroups, monitorOnly }, call }: CheckInput<Params>): Json {
  const system = systemTextOf(call.request);
  return {
    ...(system !== "" && { system_prompt: system }),
    policy,
    user: user ?? call.metadata["_user"] ?? call.metadata["user"],
    user_groups: userGroups,
    monitor_only: monitorOnly,
  };
}

function findingOf(result: Static<typeof Result> | undefined, text: string, { redact }: Params): TextFinding {
  if (!result) return { reason: null };
  const { action, modified_text } = result;
  const violations = result.violations ?? [];
  const data = { action, violations };
  const reason = `The policies say ${action.slice(0, 80)}${violations.length > 0 ? `: ${violations.join(", ").slice(0, 200)}` : ""}.`;
  if (action === "block") return { reason, data };
  const isChanged = typeof modified_text === "string" && modified_text !== text;
  return redact && isChanged ? { reason, redacted: modified_text, data } : { reason: null, data };
}
