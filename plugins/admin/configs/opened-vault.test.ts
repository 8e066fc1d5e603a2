/** Configs may be as large as a body: others have their turn while one is saved or shown. */
import { describe, expect, test } from "bun:test";
import { ApiKeys, Configs, Guardrails, isJson, type Json, openedVault } from "#contract";
import { CALLERS, type Tenants, tenants } from "../../../tests/kit/tenants.ts";
import { configs } from "./resource.ts";
import { ConfigVersions } from "./versions.ts";

/** Rounds that the event loop made while this ran: so often, others had their turn. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

const withKeys = (count: number): Json => ({
  strategy: { mode: "fallback" },
  targets: Array.from({ length: count / 50 }, (_, i) => ({
    strategy: { mode: "fallback" },
    targets: Array.from({ length: 50 }, (_, j) => ({ provider: "openai", api_key: `sk-in-place-${i}-${j}-0123456789` })),
  })),
});
const long: Json = { provider: "openai", override_params: { user: "y".repeat(500_000) } };

async function saved(config: Json): Promise<{ readonly world: Tenants; readonly path: string }> {
  const world = await tenants([ApiKeys, Configs, ConfigVersions, Guardrails]);
  const { status, body } = await world.ask(configs, "POST", "/configs", CALLERS.workspace, { name: "c", config });
  expect(status).toBe(200);
  return { world, path: `/configs/${isJson(body["data"]) ? String(body["data"]["slug"]) : ""}` };
}

describe("others have their turn between the steps", () => {
  test.each<[string, Json]>([
    ["of 950 credentials", withKeys(950)],
    ["of one long text, whose length nobody declared", long],
  ])("a config %s is saved in, and saved again", async (_, config) => {
    const { world, path } = await saved({ provider: "openai" });
    const body = { name: "c", config };
    expect(await turnsDuring(() => world.ask(configs, "POST", "/configs", CALLERS.workspace, body))).toBeGreaterThanOrEqual(3);
    await world.ask(configs, "PUT", path, CALLERS.workspace, { config });
    expect(await turnsDuring(() => world.ask(configs, "PUT", path, CALLERS.workspace, { config }))).toBeGreaterThanOrEqual(4);
  });

  test("long versions are opened, masked and written out in", async () => {
    const { world, path } = await saved(long);
    for (let i = 0; i < 3; i += 1) await world.ask(configs, "PUT", path, CALLERS.workspace, { config: long });
    let shown = 0;
    const turns = await turnsDuring(async () => {
      const { body } = await world.ask(configs, "GET", `${path}/versions`, CALLERS.workspace);
      shown = (body["data"] as readonly unknown[]).length;
    });
    expect({ shown, turns: turns >= shown * 3 || turns }).toEqual({ shown: 4, turns: true });
  });
});

test("each stored secret is opened once for a request, some in one go, and what it sealed is not opened", async () => {
  const opened: string[] = [];
  const vault = {
    seal: (plain: string) => `v1.${plain}`,
    open: (sealed: string) => {
      opened.push(sealed);
      return sealed.slice(3);
    },
    digest: (text: string) => text,
    sealContent: (content: Uint8Array, _name: string) => content,
    openContent: (sealed: Uint8Array, _name: string) => sealed,
  };
  const stored = { targets: Array.from({ length: 950 }, (_, i) => ({ provider: "openai", api_key: { sealed: `v1.${i}` } })) };
  let requestVault = vault;
  expect(await turnsDuring(async () => void (requestVault = await openedVault(stored, vault)))).toBeGreaterThanOrEqual(8);
  expect(opened.length).toBe(950);
  expect([requestVault.open("v1.5"), requestVault.open(requestVault.seal("new")), opened.length]).toEqual(["5", "new", 950]);
});
