import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import type { Call, Caller, Leaf, Provider } from "#contract";
import type { Generation } from "../../kernel/generation.ts";
import { ownKeys } from "../../kernel/secrets/own-keys.ts";
import { BASE } from "./compile.ts";
import { resolver } from "./targets.ts";

const provider = { target: Type.Object({}), endpoint: () => ({ baseUrl: "" }), operations: { chatComplete: {} } } as unknown as Provider; // as far as a target is made
const gen = {
  providers: new Map([["acme", { provides: provider }]]),
  plugins: [],
  stores: { records: { lookup: () => () => undefined } },
} as unknown as Generation; // what resolving looks at
const resolve = resolver(gen, new Map(), () => 0, ownKeys({ digest: (text) => text }));

const leaf = (more: Partial<Leaf>): Leaf => ({
  ...{ kind: "leaf", path: "config", name: null, weight: 1, ...BASE },
  ...{ provider: "acme", apiKey: null, fields: {}, ...more },
});
const call = {
  operation: "chatComplete",
  control: { rest: {}, customHost: "https://elsewhere.test" },
  headers: new Headers(),
} as unknown as Call; // what resolving reads
const pinned = { allowConfigOverride: false, configId: "pc-pinned", workspaceId: null } as Caller;
const hostFor = async (caller: Partial<Caller>, more: Partial<Leaf> = {}): Promise<string | null> =>
  (await resolve(leaf(more), call, { ...pinned, ...caller }, "m")).target.customHost;

test("a request's custom host is not where a pinned config goes, and is where others go", async () => {
  expect(await hostFor({})).toBeNull();
  expect(await hostFor({}, { customHost: "https://own.test" })).toBe("https://own.test");
  expect(await hostFor({ allowConfigOverride: true })).toBe("https://elsewhere.test");
  expect(await hostFor({ configId: null })).toBe("https://elsewhere.test");
});
