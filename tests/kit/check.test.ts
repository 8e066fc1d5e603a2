import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { testPack } from "./check.ts";

test("a pack whose configuration has no default for a member is told so by its kit, and what to do", async () => {
  const plugin = definePlugin({
    kind: "guardrail",
    config: Type.Object({ url: Type.String({ description: "Where it asks." }) }),
    needs: [],
    setup: () => ({ provides: { checks: [] } }),
  });
  const manifest = { id: "acme", kind: "guardrail", version: "1.0.0", contract: "^1.0.0", title: "Acme", entry: "index.ts" };
  await expect(testPack(plugin, manifest)).rejects.toThrow(
    "The configuration of acme is not valid: url: it is missing. Give one to testPack.",
  );
});
