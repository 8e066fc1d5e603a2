import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { type Call, type Caller, headerClasses, type Leaf, type Provider } from "#contract";
import type { Generation } from "../../kernel/generation.ts";
import { NOTHING_PREPARED } from "#kit";
import { ownKeys } from "../../kernel/secrets/own-keys.ts";
import { BASE } from "./compile.ts";
import { resolver } from "./targets.ts";

const provider = { target: Type.Object({}), endpoint: () => ({ baseUrl: "" }), operations: { chatComplete: {} } } as unknown as Provider; // as far as a target is made
const gen = {
  providers: new Map([["acme", { provides: provider }]]),
  plugins: [],
} as unknown as Generation; // what resolving looks at
const resolve = resolver(gen, new Map(), () => 0, {
  ownKeys: ownKeys({ digest: (text) => text }),
  headers: headerClasses([]),
  keyHeaders: [],
});

const leaf = (more: Partial<Leaf>): Leaf => ({
  ...{ kind: "leaf", path: "config", name: null, weight: 1, ...BASE },
  ...{ provider: "acme", apiKey: null, fields: {}, ...more },
});
const call = {
  operation: "chatComplete",
  row: {},
  control: { rest: {}, customHost: "https://elsewhere.test" },
  headers: new Headers(),
} as unknown as Call; // what resolving reads
const pinned = { allowConfigOverride: false, configId: "pc-pinned", workspaceId: null } as Caller;
const hostFor = async (caller: Partial<Caller>, more: Partial<Leaf> = {}): Promise<string | null> =>
  (await resolve(leaf(more), { call, caller: { ...pinned, ...caller }, prepared: NOTHING_PREPARED }, "m")).target.customHost;

test("a request's custom host is not where a pinned config goes, and is where others go", async () => {
  expect(await hostFor({})).toBeNull();
  expect(await hostFor({}, { customHost: "https://own.test" })).toBe("https://own.test");
  expect(await hostFor({ allowConfigOverride: true })).toBe("https://elsewhere.test");
  expect(await hostFor({ configId: null })).toBe("https://elsewhere.test");
});

/** The field `team`, given to requests with these headers in a deployment with these aliases. */
const teamFor = async (headers: Record<string, string>, clientHeader = "acme-team", aliases: readonly string[] = []): Promise<unknown> => {
  const target = Type.Object({ team: Type.Optional(Type.String({ clientHeader })) });
  const own = { ...gen, providers: new Map([["acme", { provides: { ...provider, target } }]]) } as unknown as Generation; // what resolving looks at
  const resolving = resolver(own, new Map(), () => 0, {
    ownKeys: ownKeys({ digest: (text) => text }),
    headers: headerClasses(aliases),
    keyHeaders: [],
  });
  const asked = { ...call, headers: new Headers(headers) } as unknown as Call; // what resolving reads
  return (await resolving(leaf({}), { call: asked, caller: pinned, prepared: NOTHING_PREPARED }, "m")).target.fields["team"];
};
test("a field is read from the header of the vendor's own client, and never from one that is more than plain", async () => {
  expect(await teamFor({ "acme-team": "blue" })).toBe("blue");
  expect(await teamFor({})).toBeUndefined();
  expect(await teamFor({ "acme-team": "" })).toBeUndefined();
  expect(await teamFor({ "acme-team": "blue", connection: "close, Acme-Team" })).toBeUndefined();
  expect(await teamFor({ cookie: "a=1" }, "cookie")).toBeUndefined();
  expect(await teamFor({ authorization: "Bearer k" }, "authorization")).toBeUndefined();
  expect(await teamFor({ "acme-team": "blue" }, "acme-team", ["acme-"])).toBeUndefined();
});
