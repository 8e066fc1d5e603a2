import { expect, test } from "bun:test";
import { createVault } from "../kernel/secrets/vault.ts";
import { GATEWAY_KEY_LENGTH, isGatewayKey, maskGatewayKey, newGatewayKey } from "./gateway-key.ts";

const vault = createVault("0123456789abcdef0123456789abcdef", () => undefined);
const made = Array.from({ length: 200 }, () => newGatewayKey(vault));

test("keys differ and use every letter and digit", () => {
  expect(new Set(made).size).toBe(200);
  expect(new Set(made.join("")).size).toBe(62);
  for (const key of made) expect(key).toMatch(new RegExp(`^[A-Za-z0-9]{${GATEWAY_KEY_LENGTH}}$`));
});

test("a key is known by its form where it was made, and nowhere else", () => {
  const elsewhere = createVault("another secret of thirty-two letters", () => undefined);
  expect(made.every((key) => isGatewayKey(key, vault))).toBe(true);
  expect(made.filter((key) => isGatewayKey(key, elsewhere))).toEqual([]);
});

test("nothing else is taken for one: not one letter changed, not another length, not chance", () => {
  const changed = made.map((key, i) => key.slice(0, i % 48) + (key[i % 48] === "x" ? "y" : "x") + key.slice((i % 48) + 1));
  const chance = Array.from({ length: 2_000 }, () => newGatewayKey({ digest: () => crypto.randomUUID().replaceAll("-", "") }));
  for (const text of [...changed, ...chance, ...made.map((key) => key.slice(1)), ""])
    expect({ text, own: isGatewayKey(text, vault) }).toEqual({ text, own: false });
});

test("a key with a prefix is known by its form, and its prefix is no secret", () => {
  const prefixed = createVault("0123456789abcdef0123456789abcdef", () => undefined, "acme1");
  const key = newGatewayKey(prefixed);
  expect(key).toMatch(/^acme1[A-Za-z0-9]{48}$/);
  expect([isGatewayKey(key, prefixed), isGatewayKey(key, vault), isGatewayKey(made[0] ?? "", prefixed)]).toEqual([true, true, true]);
  expect(maskGatewayKey(key, prefixed)).toBe(`acme1${key.slice(5, 7)}*******${key.slice(-2)}`);
  expect(maskGatewayKey("acme1-chosen-by-hand", prefixed)).toBe("ac*******nd");
});
