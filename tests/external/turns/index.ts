import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";

/** A job whose run lasts until it is told to stop, and says in the process log when it begins and ends. */
export default definePlugin({
  kind: "exporter",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: ({ log }) => ({
    provides: { export: async () => undefined },
    jobs: [
      {
        id: "long",
        everyMs: 1_000,
        runs: "one",
        async run(signal) {
          log("info", "turn.begun");
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          log("info", "turn.ended");
        },
      },
    ],
  }),
});
