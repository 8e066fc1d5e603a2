import { afterAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { isSecretManager } from "#contract";
import { verifies } from "../../../tests/requirements/verifies.ts";
import plugin from "./index.ts";

const SET = {
  TENANT_SECRET_OPENAI: "the-value",
  TENANT_SECRET_JSON: '{"key":"one"}',
  TENANT_SECRET_my_org_KEY: "ours",
  UNNAMED_SECRET: "x",
};
Object.assign(process.env, SET);
afterAll(() => {
  for (const name of Object.keys(SET)) delete process.env[name];
});

async function read(path: string, key: string | null = null, prefix = "TENANT_SECRET_") {
  const { provides } = await plugin.setup({ log: () => undefined, now: () => 0 }, { prefix });
  const manager = isSecretManager(provides) ? provides : expect.unreachable();
  return manager.read({ organisationId: "my-org", auth: {}, path, key }, new AbortController().signal);
}

test(verifies("A.managers.environment", "a variable whose name begins as the operator says is read, or a member of it"), async () => {
  expect(await read("TENANT_SECRET_OPENAI")).toEqual({ value: "the-value" });
  expect(await read("TENANT_SECRET_JSON", "key")).toEqual({ value: "one" });
});
test.each(["UNNAMED_SECRET", "PATH", "TENANT_SECRET_", "TENANT_SECRET_ABSENT", "", "__proto__"])(
  "the variable %j is not read",
  async (path) => {
    expect(await read(path)).toMatchObject({ missing: expect.any(String) });
  },
);
test("an organisation reads its own variables alone, where the operator says so", async () => {
  const own = "TENANT_SECRET_{organisation}_";
  expect(await read("TENANT_SECRET_my_org_KEY", null, own)).toEqual({ value: "ours" });
  expect(await read("TENANT_SECRET_OPENAI", null, own)).toMatchObject({ missing: expect.any(String) });
});
test("no variable is read where the operator names none", async () => {
  expect(await read("TENANT_SECRET_OPENAI", null, "")).toMatchObject({ missing: expect.stringContaining("ENV_SECRETS_PREFIX") });
});
test.each(["A", "_", "AB_", "GATEWAY_", "DATABASE_", "TENANT", "TENANT SECRET_"])("the prefix %j is refused", (prefix) => {
  expect(Value.Check(plugin.config, { prefix })).toBe(false);
});
