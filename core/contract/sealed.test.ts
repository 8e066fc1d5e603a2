import { describe, expect, test } from "bun:test";
import type { CatalogCheck, Vault } from "./capability.ts";
import type { Json } from "./json.ts";
import { maskSecrets, openSecrets, sealChecks, sealSecrets } from "./sealed.ts";
import type { CheckToSave } from "./stored-checks.ts";

/** Seals visibly, and never the same text alike. */
let sealings = 0;
const vault: Vault = {
  seal: (plain) => `${(sealings += 1)}:${plain}`,
  open: (sealed) => sealed.slice(sealed.indexOf(":") + 1),
  digest: (text) => text,
  sealContent: (content: Uint8Array) => content,
  openContent: (sealed: Uint8Array) => sealed,
};
const CHECK: CatalogCheck = {
  id: "acme.scan",
  title: "Scan",
  on: ["input"],
  targets: ["llm"],
  secrets: ["token", "pin"],
  problems: () => [],
  wrongMember: () => undefined,
};
const catalog = { check: (id: string) => (id === CHECK.id ? CHECK : undefined) };
const check = (parameters: Json, id = CHECK.id): CheckToSave => ({ id, parameters, at: "checks[0]" });
const sealed = (checks: readonly CheckToSave[], before: readonly CheckToSave[] = []) => sealChecks(checks, before, { catalog, vault });
/** As they are stored, and as they were shown. */
const stored = (...parameters: Json[]) => sealed(parameters.map((one) => check(one))).map((one) => check(one));
const shown = (checks: readonly CheckToSave[]) => checks.map(({ parameters = {} }) => check(maskSecrets(parameters, vault)));

describe("secret members", () => {
  test("that look alike keep their own values", () => {
    const before = sealSecrets({ pin: "1234", token: "5678" }, () => true, vault);
    const masked = maskSecrets(before, vault);
    expect(masked).toEqual({ pin: "*******", token: "*******" });
    expect(sealSecrets(masked, () => true, vault, before)).toEqual(before);
  });
});

describe("parameters of checks", () => {
  test("are sealed where the check's schema says so, and opened again", () => {
    const [one = {}] = sealed([check({ token: "a-token-0123456789", threshold: 1 })]);
    expect(one).toEqual({ token: { sealed: expect.stringContaining("a-token-0123456789") }, threshold: 1 });
    expect(openSecrets(one, vault)).toEqual({ token: "a-token-0123456789", threshold: 1 });
    expect(sealed([check({ token: "t" }, "acme.other")])).toEqual([{ token: "t" }]);
  });
  test("that are sent back as they were shown stay as they are stored", () => {
    const before = stored({ url: "https://a", token: "1", pin: "2" }, { url: "https://b", token: "3", pin: "4" });
    expect(sealed(shown(before), before)).toEqual(before.map(({ parameters = {} }) => parameters));
    expect(sealed(shown(before).toReversed(), before)).toEqual(before.map(({ parameters = {} }) => parameters).toReversed());
  });
  test("that look alike and call the same address are taken in their order", () => {
    const before = stored({ url: "https://a", token: "1" }, { url: "https://a", token: "2" });
    expect(sealed(shown(before), before)).toEqual(before.map(({ parameters = {} }) => parameters));
  });
  test("may change beside a secret that is kept", () => {
    const before = stored({ url: "https://a", token: "1", threshold: 1 });
    expect(sealed([check({ url: "https://a", token: "*******", threshold: 2 })], before)).toEqual([
      { ...before[0]?.parameters, threshold: 2 },
    ]);
  });
  test.each<[string, Json]>([
    ["another URL", { url: "https://evil", token: "*******", deep: { site: "x" } }],
    ["none", { token: "*******", deep: { site: "x" } }],
    ["one more", { url: "https://a", apiHost: "evil", token: "*******", deep: { site: "x" } }],
    ["one further down", { url: "https://a", token: "*******", deep: { site: "https://evil" } }],
  ])("do not take a stored secret to %s", (_, parameters) => {
    const before = stored({ url: "https://a", token: "1", deep: { site: "x" } });
    expect(() => sealed([check(parameters)], before)).toThrow(/acme\.scan.*give it again in checks\[0\]/);
    expect(sealed([check({ ...parameters, token: "given-anew-0123" })], before)).toMatchObject([
      { token: { sealed: expect.stringContaining("given-anew-0123") } },
    ]);
  });
  test("do not take a stored secret along in another member, beside a URL that was sent back as it was shown", () => {
    const before = stored({ callbackUrl: "https://a/?key=secret-0123456789", token: "a-token-0123456789" });
    const [{ parameters: { callbackUrl, token } = {} } = { parameters: {} }] = shown(before);
    expect(() => sealed([check({ callbackUrl, pin: token, host: "evil" })], before)).toThrow(/acme\.scan.*give it again in checks\[0\]/);
    expect(() => sealed([check({ callbackUrl, pin: token })], before)).toThrow(/acme\.scan.*give it again in checks\[0\]/);
  });
  test("that all look alike are told apart in a time that grows with their number alone", () => {
    const before = stored(...Array.from({ length: 2_000 }, (_, i) => ({ url: `https://a/${i}`, token: String(i) })));
    const startedAt = process.cpuUsage();
    expect(sealed(shown(before).toReversed(), before)).toEqual(before.map(({ parameters = {} }) => parameters).toReversed());
    expect(process.cpuUsage(startedAt).user).toBeLessThan(2_000_000); // each looked at by each took minutes
  });
  test("may not have the form of a sealed secret", () => {
    expect(() => sealed([check({ token: { sealed: "1:stolen" } })])).toThrow(/reserved/);
  });
  test("are a thousand in one record, at most", () => {
    const many = (count: number): Json => ({ list: Array.from({ length: count }, (_, i) => ({ token: `secret-${i}` })) });
    expect(() => sealed([check(many(1_000))])).not.toThrow();
    expect(() => sealed([check(many(1_001))])).toThrow("more than 1000 secrets");
  });
});
