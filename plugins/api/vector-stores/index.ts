import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { batches } from "./batches.ts";
import { files } from "./files.ts";
import { search } from "./search.ts";
import { stores } from "./stores.ts";

/** `/v1/vector_stores`: specification E9, data sheet 7.14. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { operations: [...stores, ...search, ...files, ...batches] } }),
});
