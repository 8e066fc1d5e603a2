import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { content, SAY, say } from "./operation.ts";

const open = { additionalProperties: true } as const;
const SayBody = Type.Object(
  {
    model: Type.Optional(Type.String({ description: "Who says it." })),
    text: Type.String({ minLength: 1, description: "What to say." }),
    stream: Type.Optional(Type.Boolean({ description: "Word by word." })),
  },
  open,
);
const Said = Type.Object({ said: Type.String() }, open);

export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [{ operation: SAY, content, body: SayBody, reply: Said, examples: { "A word": { text: "Hello" } } }],
      dialects: [say],
    },
  }),
});
