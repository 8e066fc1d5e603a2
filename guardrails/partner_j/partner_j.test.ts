import { describe, expect, test } from "bun:test";
import { testPack } from "../../tests/kit/check.ts";
import { accessBy, addressOf } from "./access.ts";
import type { Account } from "./credentials.ts";
import manifest from "./manifest.json";
import pack from "./index.ts";

await testPack(pack, manifest);

describe("an application of the tenant", () => {
  const account: Account = { resourceName: "ours", azureAuthMode: "entra", tenantId: "tenant", clientId: "client", clientSecret: "secret" };
  const setting = (answer: () => Response) => {
    const state = { now: 0, asked: [] as (readonly [url: string, body: string])[] };
    const access = accessBy({
      fetch: async (url, init) => {
        state.asked.push([String(url), String(init?.body)]);
        return answer();
      },
      now: () => state.now,
    });
    return { state, access };
  };
  test("asks with a token, which is kept until shortly before it expires", async () => {
    const { state, access } = setting(() => Response.json({ access_token: "granted", expires_in: 3600 }));
    expect(await access(account)).toEqual({ authorization: "Bearer granted" });
    state.now = 3_299_000;
    await access(account);
    expect(state.asked).toEqual([
      [
        "https://login.microsoftonline.com/tenant/oauth2/v2.0/token",
        "client_id=client&client_secret=secret&scope=https%3A%2F%2Fcognitiveservices.azure.com%2F.default&grant_type=client_credentials",
      ],
    ]);
    state.now = 3_300_000;
    await access(account);
    expect(state.asked).toHaveLength(2);
  });
  test("whose secret is another gets no token that was kept", async () => {
    const { state, access } = setting(() => Response.json({ access_token: "granted", expires_in: 3600 }));
    await access(account);
    await access({ ...account, clientSecret: "guessed" });
    expect(state.asked).toHaveLength(2);
  });
  test.each([
    [401, "auth"],
    [400, "auth"],
    [429, "unavailable"],
    [500, "unavailable"],
  ])("that is answered %d is an error of class %s", async (status, errorClass) => {
    const { access } = setting(() => Response.json({ error: "no" }, { status }));
    await expect(access(account)).rejects.toMatchObject({ errorClass });
  });
  test("or a key that is missing is an error of class auth", async () => {
    const { access } = setting(() => new Response());
    await expect(access({ resourceName: "ours" })).rejects.toMatchObject({ errorClass: "auth" });
    await expect(access({ resourceName: "ours", azureAuthMode: "entra" })).rejects.toMatchObject({ errorClass: "auth" });
  });
});

test("a resource behind a host of its own is asked there", () => {
  expect(addressOf({ resourceName: "ours", customHost: "https://safety.example/" }, "/language/:analyze-text", "2024-11-01")).toBe(
    "https://safety.example/language/:analyze-text?api-version=2024-11-01",
  );
});
