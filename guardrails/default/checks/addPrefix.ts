import { Type } from "@sinclair/typebox";
import { OneOf, type RequestType, type Verdict, defineCheck } from "#contract";
import { type Prefixed, PREFIXED } from "../prefix.ts";

const TABLE: Readonly<Partial<Record<RequestType, Prefixed>>> = PREFIXED;
const OPERATIONS = Object.keys(PREFIXED) as (keyof typeof PREFIXED)[];

export default defineCheck({
  id: "default.addPrefix",
  title: "A prefix is put before what the model is told",
  on: ["input"],
  transforms: true,
  wants: [],
  operations: OPERATIONS,
  params: Type.Object({
    prefix: Type.String({
      minLength: 1,
      maxLength: 100_000,
      description:
        "The text. Requests of completions, chat, messages, responses and Gemini get it, each in its own form; others stay as they are.",
    }),
    applyToRole: OneOf(["user", "system", "assistant"], {
      default: "user",
      description: "Whose first message gets it; where there is none one is made. A completion's prompt is everybody's.",
    }),
    addToExisting: Type.Boolean({ default: true, description: "Into that message; else as a message of its own before it." }),
    onlyIfEmpty: Type.Boolean({ default: false, description: "Only where that message says nothing." }),
  }),
  run({ call: { request, requestType }, params }): Verdict {
    const prefixed = TABLE[requestType];
    if (request === null || prefixed === undefined)
      return { verdict: "allow", data: { verdict: true, explanation: "A request of this type gets no prefix." } };
    const { prefix: text, applyToRole: role, addToExisting: intoExisting, onlyIfEmpty } = params;
    const body = prefixed(request, { text, role, intoExisting, onlyIfEmpty });
    if (body === request) return { verdict: "allow", data: { verdict: true, explanation: "The message says something already." } };
    return { verdict: "transform", patches: [{ body }], data: { verdict: true, applyToRole: role, explanation: "The prefix was added." } };
  },
});
