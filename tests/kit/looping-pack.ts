/** A pack whose check never comes back from one text: `check.test.ts` runs this file, and sees that the kit says so. */
import { Type } from "@sinclair/typebox";
import { defineCheck, definePlugin } from "#contract";
import { testPack } from "./check.ts";

const loops = defineCheck({
  id: "looping.loops",
  title: "Loops",
  on: ["input", "output"],
  params: Type.Object({}),
  run({ text }) {
    while (text === "for ever");
    return { verdict: "allow" };
  },
});
const plugin = definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { checks: [loops] } }),
});
const manifest = {
  ...{ id: "looping", kind: "guardrail", version: "1.0.0", contract: "^1.0.0", title: "Looping", entry: "index.ts" },
  ...{ provides: [loops.id], samples: [{ check: loops.id, text: "once", verdict: "allow" }] },
};
await testPack(plugin, manifest, { [loops.id]: [{ text: "for ever", verdict: "allow" }] });
