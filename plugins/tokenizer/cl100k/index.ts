import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { Counter } from "./counter.ts";

/** Counts for every model, in a Worker of its own that starts at the first use: a deployment that never estimates never holds the tables. */
export default definePlugin({
  kind: "tokenizer",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup() {
    const counter = new Counter();
    return { provides: { count: (texts) => counter.count(texts) }, close: async () => counter.close() };
  },
});
