/** Each client dialect over each upstream wire: what a streamed chunk costs that is translated, beside one of the same wire that passes. */
import type { Cell, Played } from "./phases.ts";
import { against } from "./report.ts";
import { CHUNKS, gatewayHeaders, type Proc, turns } from "./stage.ts";

const DIALECTS = {
  chat: { path: "/v1/chat/completions", body: () => ({ model: "bench-1", stream: true, messages: turns() }) },
  messages: {
    path: "/v1/messages",
    body: () => ({ model: "bench-1", stream: true, max_tokens: 1_000, system: turns()[0]?.content, messages: turns().slice(1) }),
  },
  responses: {
    path: "/v1/responses",
    body: () => ({ model: "bench-1", stream: true, instructions: turns()[0]?.content, input: turns().slice(1) }),
  },
  gemini: {
    path: "/v1beta/models/bench-1:streamGenerateContent?alt=sse",
    body: () => ({
      contents: turns()
        .slice(1)
        .map(({ role, content }) => ({ role: role === "user" ? "user" : "model", parts: [{ text: content }] })),
    }),
  },
} as const;
type Dialect = keyof typeof DIALECTS;
/** Whose stream passes to which client as it is. */
const PASSING = { openai: "chat", anthropic: "messages", google: "gemini" } as const satisfies Record<string, Dialect>;
type Upstream = keyof typeof PASSING;
/** The most that a translated chunk may cost, × one that passes. */
const MOST = 2;

const DIALECT_IDS = Object.keys(DIALECTS) as readonly Dialect[]; // its own keys
const UPSTREAMS = Object.keys(PASSING) as readonly Upstream[]; // its own keys
const nameOf = (dialect: Dialect, upstream: Upstream): string => `${dialect} over ${upstream}`;
/** OpenAI has the Responses API itself. */
const passes = (dialect: Dialect, upstream: Upstream): boolean =>
  PASSING[upstream] === dialect || (dialect === "responses" && upstream === "openai");

/** All of one gateway, which keeps no log. */
export const pairCells = (proc: Proc, upstreamPort: number): readonly Cell[] =>
  UPSTREAMS.flatMap((upstream) =>
    DIALECT_IDS.map((dialect) => ({
      name: nameOf(dialect, upstream),
      proc,
      headers: gatewayHeaders(upstream, upstreamPort),
      only: "pairs" as const,
      asks: { path: DIALECTS[dialect].path, body: JSON.stringify(DIALECTS[dialect].body()) },
    })),
  );

/** One row a pair. */
export function reportPairs(results: ReadonlyMap<string, Played> | undefined): void {
  if (results === undefined) return;
  const chunkUs = (dialect: Dialect, upstream: Upstream): number => (results.get(nameOf(dialect, upstream))?.cpuUs ?? Number.NaN) / CHUNKS;
  const rows = UPSTREAMS.flatMap((upstream) =>
    DIALECT_IDS.map((dialect) => {
      const us = chunkUs(dialect, upstream);
      const times = us / chunkUs(PASSING[upstream], upstream);
      const failed = results.get(nameOf(dialect, upstream))?.bursts.reduce((sum, burst) => sum + burst.failed, 0);
      const judged = passes(dialect, upstream) ? "passes" : against([times, MOST]);
      return [nameOf(dialect, upstream), { "CPU µs/chunk": us.toFixed(1), "× a chunk that passes": judged, failed }] as const;
    }),
  );
  console.table(Object.fromEntries(rows));
}
