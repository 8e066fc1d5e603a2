import { expect, test } from "bun:test";
import type { LogRow, LogStore } from "#contract";
import { closedHandle, expectUnavailable, handleOf, type Subject, unique } from "./subject.ts";

const NOON = 1_763_640_000_000;

const row = (given: Partial<LogRow> = {}): LogRow => ({
  id: unique("log"),
  organisationId: "org",
  workspaceId: "space",
  createdAt: NOON,
  traceId: "trace",
  provider: "sandbox",
  model: "echo",
  status: 200,
  costCents: 0.0125,
  inputTokens: 12,
  outputTokens: 34,
  responseTimeMs: 56.5,
  apiKeyId: "key",
  cacheStatus: "DISABLED",
  metadata: { _user: "ü" },
  detail: { request: { body: { messages: [{ role: "user", content: "hi 😀" }] } }, big: Number.MAX_SAFE_INTEGER },
  hooks: { before: [] },
  ...given,
});

export const logsSuite = (subject: Subject): void => {
  const near = (): LogStore => handleOf(subject.near(), "logs");
  const far = (): LogStore => handleOf(subject.far(), "logs");
  const everything = { newerThan: 0, maxBytes: Number.MAX_SAFE_INTEGER };

  test("rows come back as they were written, on every connection", async () => {
    const full = row();
    const bare = row({
      workspaceId: null,
      provider: null,
      model: null,
      costCents: null,
      apiKeyId: null,
      hooks: null,
      metadata: {},
      detail: {},
    });
    await near().write([full, bare]);
    expect(await far().get(full.id)).toEqual(full);
    expect(await far().get(bare.id)).toEqual(bare);
    expect(await near().get("nobody")).toBeUndefined();
  });

  test("a batch that is written again leaves one row, and an empty one nothing", async () => {
    const one = row();
    await near().write([one]);
    await far().write([one, row()]);
    await near().write([]);
    expect(await near().get(one.id)).toEqual(one);
  });

  test("a large batch is written whole", async () => {
    const many = Array.from({ length: 1500 }, () => row({ detail: { text: "x".repeat(200) } }));
    await near().write(many);
    expect(await far().get(many[0]?.id ?? "")).toEqual(many[0]);
    expect(await far().get(many.at(-1)?.id ?? "")).toEqual(many.at(-1));
  });

  test("pruning by age removes what is older and says how many", async () => {
    await near().prune({ ...everything, newerThan: Number.MAX_SAFE_INTEGER });
    const [old, young] = [row({ createdAt: NOON - 1000 }), row({ createdAt: NOON })];
    await near().write([old, young]);
    expect(await near().prune({ ...everything, newerThan: NOON })).toBe(1);
    expect(await far().get(old.id)).toBeUndefined();
    expect(await far().get(young.id)).toEqual(young);
    expect(await near().prune({ ...everything, newerThan: NOON })).toBe(0);
  });

  test("pruning by size removes the oldest first and stops when the rest fits", async () => {
    await near().prune({ ...everything, newerThan: Number.MAX_SAFE_INTEGER });
    const rows = Array.from({ length: 40 }, (_, index) => row({ createdAt: NOON + index, detail: { text: "x".repeat(10_000) } }));
    await near().write(rows);
    const gone = await near().prune({ newerThan: 0, maxBytes: 200_000 });
    expect(gone).toBeGreaterThanOrEqual(20);
    expect(gone).toBeLessThan(30);
    const left = await Promise.all(rows.map(async ({ id }) => (await far().get(id)) !== undefined));
    expect(left).toEqual(rows.map((_, index) => index >= gone));
    expect(await near().prune({ newerThan: 0, maxBytes: 0 })).toBe(40 - gone);
  });

  test("a closed backend is STORAGE_UNAVAILABLE and never an answer", async () => {
    const closed = await closedHandle(subject, "logs");
    await expectUnavailable(() => closed.write([row()]));
    await expectUnavailable(() => closed.get("x"));
    await expectUnavailable(() => closed.prune(everything));
  });
};
