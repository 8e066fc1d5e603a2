import { afterEach, beforeEach, expect, type Mock, spyOn, test } from "bun:test";
import { LRUCache } from "lru-cache";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { KeySets, type KeySource } from "./key-sets.ts";

const A = "https://a.example/jwks";
const B = "https://b.example/jwks";
const source = (tenant: string, uri = A): KeySource => ({ uri, headers: { "x-tenant-token": tenant }, maxAgeMs: 60_000 });

let kept: Mock<(name: unknown, value: unknown) => unknown>;
let fetched: string[];
let sets: KeySets;
beforeEach(() => {
  kept = spyOn(LRUCache.prototype, "set");
  fetched = [];
  sets = new KeySets({
    fetch: async (url) => {
      fetched.push(String(url));
      return Response.json({ keys: [] });
    },
  });
});
afterEach(() => kept.mockRestore());
const get = (of: KeySource) => sets.get(of, 0, new AbortController().signal);

test(verifies("G.jwt.kept", "keys are kept for what a client sent along, by its hash"), async () => {
  for (const of of [source("secret-1"), source("secret-2"), source("secret-1"), source("secret-1", B)]) await get(of);
  expect(fetched).toEqual([A, A, B]);
  const names = kept.mock.calls.map(([name]) => String(name));
  expect(new Set(names).size).toBe(3);
  expect(names.join(" ")).not.toContain("secret-");
});
test(verifies("G.jwt.kept", "keys of 200 addresses are kept: the one that was not used for longest is fetched again"), async () => {
  for (let i = 0; i <= 200; i += 1) await get(source(`t-${i}`));
  await get(source("t-200"));
  expect(fetched.length).toBe(201);
  await get(source("t-0"));
  expect(fetched.length).toBe(202);
});
