import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isJson, type Json } from "#contract";
import { Refusal } from "./refusal.ts";

const closed = { additionalProperties: false } as const;
const wait = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000, description }));
const chunks = (description: string, maximum = 1_000_000) => Type.Optional(Type.Integer({ minimum: 0, maximum, description }));

/** Characters of an answer: of a longer message that many come back. */
export const MAX_SAID = 1_000_000;

/** The body member `sandbox`: what the offline model shall do. */
export const Scenario = Type.Object(
  {
    text: Type.Optional(Type.String({ maxLength: MAX_SAID, description: "The answer's text." })),
    reasoning: Type.Optional(Type.String({ maxLength: MAX_SAID, description: "What it thinks first." })),
    tool: Type.Optional(Type.Object({ name: Type.String(), arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }, closed)),
    chunks: chunks("Says so many words."),
    latency_ms: wait("Milliseconds before the first byte."),
    chunk_latency_ms: wait("Milliseconds before each further chunk."),
    error: Type.Optional(
      Type.Object(
        {
          status: Type.Integer({ minimum: 400, maximum: 599 }),
          message: Type.Optional(Type.String()),
          type: Type.Optional(Type.String()),
          code: Type.Optional(Type.String()),
          retry_after: Type.Optional(Type.Integer({ minimum: 0 })),
        },
        closed,
      ),
    ),
    error_after: chunks("Chunks after which an error chunk comes."),
    cut_after: chunks("Chunks after which the stream ends without its marker."),
    reset_after: chunks("Chunks after which the connection breaks."),
    empty: Type.Optional(Type.Boolean({ description: "A stream that sends nothing." })),
  },
  closed,
);
export type Scenario = Static<typeof Scenario>;

const AFTER = 3;
const SENTENCES = "The sandbox has heard you. It says this every time.";

/** Model name -> scenario. */
const MODELS: Readonly<Record<string, Scenario>> = {
  "sandbox-echo": {},
  "sandbox-text": { text: SENTENCES },
  "sandbox-reasoning": { reasoning: "The user wants an echo." },
  "sandbox-tool": {},
  "sandbox-slow": { latency_ms: 500, chunk_latency_ms: 50 },
  "sandbox-huge": { chunks: 10_000 },
  "sandbox-error-chunk": { error_after: AFTER },
  "sandbox-cut": { cut_after: AFTER },
  "sandbox-reset": { reset_after: AFTER },
  "sandbox-empty": { empty: true },
};
const RETRIABLE: ReadonlySet<number> = new Set([429, 503]);

/** For the model list and the workspace's catalogue. */
export const models: readonly string[] = [...Object.keys(MODELS), "sandbox-error-429"];

/** What a request asks the sandbox to do: its `sandbox` member over its model's habit. */
export function scenarioOf(body: Json): Scenario {
  const asked: unknown = body["sandbox"] ?? {};
  const wrong = Value.Errors(Scenario, asked).First();
  if (wrong || !isJson(asked))
    throw new Refusal(400, {
      message: `sandbox${wrong?.path.replaceAll("/", ".") ?? ""}: ${wrong?.message ?? "not an object"}.`,
      param: "sandbox",
    });
  return { ...byModel(String(body["model"] ?? "")), ...asked };
}

function byModel(model: string): Scenario {
  const status = Number(/^sandbox-error-([45]\d\d)$/.exec(model)?.[1]);
  if (status) return { error: { status, ...(RETRIABLE.has(status) && { retry_after: 1 }) } };
  return MODELS[model] ?? {};
}
