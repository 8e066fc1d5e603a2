import { expect, test } from "bun:test";
import { type Caller, GatewayError, type Generations, type RouteInput } from "#contract";
import { fakeHost } from "../../../tests/kit/host.ts";
import { CALLERS } from "../../../tests/kit/tenants.ts";
import plugin from "./index.ts";

const STATE = {
  name: "policy/jwt",
  version: "1.0.0",
  title: "JWT",
  needs: ["records"],
  state: "failed",
  why: "The plugin policy/jwt failed.",
  code: "PLUGIN_SETUP",
  required: false,
  isolate: "none",
  provides: [],
} as const;

async function routes(reload: Generations["reload"]) {
  const { host } = await fakeHost(["generations"], { generations: { number: 3, states: () => [STATE], reload } });
  const { provides } = await plugin.setup(host, {});
  return async (path: string, as: Caller): Promise<unknown> =>
    provides.routes
      ?.find((route) => route.path === path)
      ?.handle({ params: {}, caller: as, query: {}, body: undefined, request: new Request("http://localhost"), now: 0 } as RouteInput<
        never,
        never
      >); // no body, no query
}

test("an operator sees every plugin, and why one is not running", async () => {
  const ask = await routes(async () => ({ number: 4 }));
  expect(await ask("/plugins", CALLERS.admin)).toEqual({
    object: "list",
    generation: 3,
    total: 1,
    data: [{ ...STATE, needs: ["records"], provides: [] }],
  });
});
test("a reload answers with the new generation's number, and what does not run in it; a failed one says why", async () => {
  expect(await (await routes(async () => ({ number: 4 })))("/generations", CALLERS.admin)).toEqual({
    number: 4,
    not_running: [{ name: STATE.name, why: STATE.why }],
  });
  const failing = await routes(async () => {
    throw new GatewayError("PROFILE_INVALID", { file: "p.json", path: "plugins", why: "it is missing" });
  });
  expect(failing("/generations", CALLERS.admin)).rejects.toThrow("p.json");
});
test("a workspace key cannot reload the deployment, whatever its scopes", async () => {
  const ask = await routes(async () => ({ number: 4 }));
  expect(ask("/generations", { ...CALLERS.workspace, scopes: new Set(["generations.update"]) })).rejects.toMatchObject({
    code: "ACCESS_DENIED",
  });
});
