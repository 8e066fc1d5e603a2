import { type Static, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;

const Text = (description: string) => Type.String({ description });
const OrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const Segment = Type.Object(
  {
    path: Text("Where it stands in the body, such as `messages[2].content`. A patch names it."),
    role: Type.Union([Type.Literal("system"), Type.Literal("user"), Type.Literal("assistant"), Type.Literal("tool")]),
    kind: Text("text, tool_call, tool_result, reasoning."),
    text: Text("What it says; a tool call as JSON."),
  },
  closed,
);

const Context = Type.Object(
  {
    request_type: Text("The operation, such as chatComplete."),
    provider: OrNull("Where the request goes."),
    model: OrNull("The model it names."),
    trace_id: Text("The request's trace."),
    metadata: Type.Record(Type.String(), Type.String(), { description: "What the client said of its request." }),
    streamed: Type.Boolean({ description: "Is the answer streamed?" }),
    status: Type.Union([Type.Integer(), Type.Null()], { description: "HTTP status of the answer, on the output side." }),
  },
  closed,
);

/** What the gateway POSTs. */
export const Question = Type.Object(
  {
    version: Type.Literal("1", { description: "Of this form." }),
    id: Text("Of this question; the same as the header webhook-id, and the answer repeats it there."),
    side: Type.Union([Type.Literal("input"), Type.Literal("output")], { description: "A request, or an answer." }),
    text: Type.Optional(Text("The texts under test, joined by newlines.")),
    segments: Type.Optional(Type.Array(Segment, { description: "The texts under test, with their places." })),
    context: Type.Optional(Context),
    request: Type.Optional(Type.Unknown({ description: "The request's body, when it is JSON." })),
    response: Type.Optional(Type.Unknown({ description: "The answer's body, when it is JSON." })),
    parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "What the guardrail says to the service." })),
  },
  { ...closed, title: "Question", description: "What the gateway POSTs." },
);
export type Question = Static<typeof Question>;

const data = Type.Optional(Type.Unknown({ description: "Shown in hook_results and logs; must hold no secret." }));

/** What the service answers. Members that it does not name are ignored, so that services may be newer than gateways. */
export const Answer = Type.Union(
  [
    Type.Object({ verdict: Type.Literal("allow"), data }),
    Type.Object({ verdict: Type.Literal("deny"), reason: Type.String({ maxLength: 2_000, description: "Why, for people." }), data }),
    Type.Object({
      verdict: Type.Literal("transform"),
      patches: Type.Array(Type.Object({ path: Text("Of a segment that was sent."), text: Text("What it says from now on.") }, closed), {
        maxItems: 10_000,
        description: "New texts for segments.",
      }),
      data,
    }),
    Type.Object({
      verdict: Type.Literal("error"),
      message: Type.String({ maxLength: 2_000, description: "Why it could not judge." }),
      data,
    }),
  ],
  { title: "Answer", description: "What the service answers, with status 200." },
);
export type Answer = Static<typeof Answer>;

/** Both, as they are published (docs/remote-guardrails.schema.json). */
export const PUBLISHED = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Remote checks",
  $defs: { Question, Answer },
} as const;
