import { afterEach, expect, test } from "bun:test";
import { isSecretManager } from "#contract";
import plugin from "./index.ts";

const NAME = "GATEWAY_TEST_ENV_SECRET";
afterEach(() => {
  delete process.env[NAME];
});

async function source() {
  const { provides } = await plugin.setup({ log: () => undefined, now: () => 0 }, {});
  return isSecretManager(provides) ? expect.unreachable() : provides;
}

test("a secret is the environment variable of its name", async () => {
  process.env[NAME] = "s3cret";
  expect(await (await source()).read(NAME)).toBe("s3cret");
});

test("a variable that is missing or empty is no secret", async () => {
  const env = await source();
  expect(await env.read(NAME)).toBeUndefined();
  process.env[NAME] = "";
  expect(await env.read(NAME)).toBeUndefined();
});
