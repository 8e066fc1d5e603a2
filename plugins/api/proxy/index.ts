import { Type } from "@sinclair/typebox";
import { type BodyContent, definePlugin } from "#contract";
import { ownedBy } from "./owned.ts";
import { recognisedAtEnd, recognisedUsage } from "./usage.ts";

/** Of what passes nobody knows what it holds; what its answer used is read where it says so in a well-known form. */
const content: BodyContent = { usage: recognisedUsage, usageAtEnd: recognisedAtEnd };

/** `/v1/proxy/*` and what nobody mounts. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { passing: { content, scope: "completions.write", owned: ownedBy } } }),
});
