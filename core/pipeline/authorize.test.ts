import { expect, test } from "bun:test";
import { type Caller, type Policy, type RecordsHandle, SCOPE_TABLE, scopesOf } from "#contract";
import { CALLERS } from "../../tests/kit/tenants.ts";
import type { Provided } from "../kernel/generation.ts";
import { authorizer, refusingArchived } from "./authorize.ts";

const person: Caller = { ...CALLERS.workspace, keyType: "workspace-user", scopes: new Set(scopesOf("workspace-user")) };
const policy = (name: string, provides: Policy) => ({ name, provides, manifest: {} }) as unknown as Provided<Policy>; // no more is looked at

test("where no policy knows roles, a user key may look and not write; service keys are as they were", async () => {
  const authorize = authorizer([policy("limits", { admit: () => undefined })], SCOPE_TABLE);
  const { scopes } = await authorize(person);
  expect([scopes.has("configs.read"), scopes.has("completions.write"), scopes.has("configs.create")]).toEqual([true, true, false]);
  expect(await authorize(CALLERS.admin)).toBe(CALLERS.admin);
});

test("each policy is given what the one before it returned", async () => {
  const without = (scope: string) => (caller: Caller) => ({
    ...caller,
    scopes: new Set([...caller.scopes].filter((held) => held !== scope)),
  });
  const authorize = authorizer(
    [policy("one", { authorize: without("configs.read") }), policy("two", { authorize: async (caller) => without("logs.view")(caller) })],
    SCOPE_TABLE,
  );
  const { scopes } = await authorize(person);
  expect([scopes.has("configs.read"), scopes.has("logs.view"), scopes.has("configs.list")]).toEqual([false, false, true]);
});

test("a policy that throws denies", async () => {
  const refusing = policy("closed", {
    authorize: () => {
      throw new Error("down");
    },
  });
  await expect(authorizer([refusing], SCOPE_TABLE)(person)).rejects.toThrow();
});

test("a key that outlived its workspace is refused; keys of an open workspace and of the organisation are not", async () => {
  let status = "active";
  const lookup = (_: unknown, __: unknown, shape: (record: { status: string }) => unknown) => () => shape({ status });
  const authorize = refusingArchived(async (caller) => caller, { lookup } as unknown as RecordsHandle);
  expect(await authorize(CALLERS.workspace)).toBe(CALLERS.workspace);
  status = "archived";
  await expect(authorize(CALLERS.workspace)).rejects.toMatchObject({ code: "KEY_UNKNOWN" });
  expect(await authorize(CALLERS.admin)).toBe(CALLERS.admin);
});
