import { Type } from "@sinclair/typebox";
import { type Check, defineCheck, definePlugin } from "#contract";

/** Checks that do what no check should: they stand still, keep others waiting, never end, or take what there is. */
const loop: Check = defineCheck({
  id: "stuck.loop",
  title: "Stands still",
  on: ["input"],
  params: Type.Object({ ms: Type.Number({ description: "For how long." }) }),
  run({ params: { ms } }) {
    const endsAt = Date.now() + ms;
    while (Date.now() < endsAt);
    return { verdict: "allow" };
  },
});

const waits: Check = defineCheck({
  id: "stuck.waits",
  title: "Answers late",
  on: ["input"],
  params: Type.Object({ ms: Type.Number({ description: "How late." }) }),
  run: ({ params: { ms } }) => new Promise((resolve) => setTimeout(() => resolve({ verdict: "allow" }), ms)),
});

const DOES: Readonly<Record<string, () => unknown>> = {
  hang: () => {
    for (;;);
  },
  grow: () => {
    const kept: Uint8Array[] = [];
    for (;;) kept.push(new Uint8Array(8_000_000).fill(1));
  },
  deepen: function deepen(): unknown {
    return [deepen()];
  },
  exit: () => process.exit(3),
  fail: () => {
    throw new Error("it does not work");
  },
  environment: () => Object.keys(process.env).length,
};

/** Says that nobody can tell what it costs, and does what the text says. */
const dear: Check = defineCheck({
  id: "stuck.dear",
  title: "Does as it is told",
  on: ["input", "output"],
  params: Type.Object({}),
  cost: () => Number.POSITIVE_INFINITY,
  run: ({ text }) => ({ verdict: "allow", data: { pid: process.pid, came: DOES[text]?.() ?? null } }),
});

export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}),
  needs: [],
  setup: () => ({ provides: { checks: [loop, waits, dear] } }),
});
