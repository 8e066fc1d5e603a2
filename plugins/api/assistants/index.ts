import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { assistants } from "./assistants.ts";
import { messages } from "./messages.ts";
import { runs } from "./runs.ts";
import { steps } from "./steps.ts";
import { threads } from "./threads.ts";

/** `/v1/assistants` and `/v1/threads`: specification E10, data sheet 7.13. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { operations: [...assistants, ...threads, ...messages, ...runs, ...steps] } }),
});
