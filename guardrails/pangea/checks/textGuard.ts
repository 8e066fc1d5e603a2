import { type Static, Type } from "@sinclair/typebox";
import { type Handles, remoteCheckOfEach, SAID, type TextFinding, vendorParams } from "#contract";
import { Credentials, tokenOf } from "../credentials.ts";

const Params = Type.Object({
  recipe: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Key of the recipe that says what is looked for; default: the vendor's own.",
    }),
  ),
  debug: Type.Boolean({ default: false, description: "Have the vendor say how it came to its result." }),
  overrides: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
      maxProperties: 100,
      description: 'Detectors that are set otherwise than in the recipe: `{"prompt_injection": {"disabled": true}}`.',
    }),
  ),
  ...vendorParams(),
});
const Reply = Type.Object({
  result: Type.Object({
    recipe: Type.Optional(Type.String()),
    blocked: Type.Optional(Type.Boolean()),
    detectors: Type.Record(Type.String(), Type.Union([Type.Object({ detected: Type.Optional(Type.Boolean()) }), Type.Null()])),
  }),
});
/** Characters of a text that the vendor takes at one time, 20 KB, whatever they are. */
const MAX_TEXT = 5_000;
/** What these detect should not be there; others (a language, a topic) describe a text, and count where the recipe blocks it. */
const HARM = [
  "prompt_injection",
  "malicious_prompt",
  "malicious_entity",
  "pii_entity",
  "custom_entity",
  "confidential_and_pii_entity",
  "secret_and_key_entity",
  "secrets_detection",
];

export default (host: Pick<Handles, "fetch">) =>
  remoteCheckOfEach(host, {
    id: "pangea.textGuard",
    title: "The guard of texts",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    params: Params,
    credentials: Credentials,
    reply: Reply,
    url: (_, { domain }) => `https://ai-guard.${domain}/v1/text/guard`,
    headers: (_, account) => tokenOf(account),
    longest: MAX_TEXT,
    ask: ({ text }, { params: { recipe, debug, overrides } }) => ({ text, recipe, debug, overrides }),
    judge,
  });

/** What was found may itself be a secret, so only its kind is shown. */
function judge({ result: { recipe, blocked = false, detectors } }: Static<typeof Reply>): TextFinding {
  const detected = Object.keys(detectors).filter((name) => detectors[name]?.detected === true);
  const data = { recipe, blocked, detected };
  const harm = detected.filter((name) => HARM.includes(name));
  if (!blocked && harm.length === 0) return { reason: null, data };
  const found = harm.length > 0 ? harm : detected;
  return { reason: `${blocked ? "Blocked" : "Found"}${found.length > 0 ? `: ${found.join(", ")}` : ""}.`, data };
}
