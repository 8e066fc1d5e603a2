import { expect, test } from "bun:test";
import { newGatewayKey } from "#contract";
import { ownKeys } from "./own-keys.ts";
import { createVault } from "./vault.ts";

const vault = createVault("0123456789abcdef0123456789abcdef", () => undefined);
const USED = "a-key-of-before-0123456789";
/** One that does not begin like the letters that are put before keys below: without its first, it would be whole again. */
function madeKey(): string {
  const key = newGatewayKey(vault);
  return /^[xc0]/.test(key) ? madeKey() : key;
}
const made = madeKey();
const touching = (key: string): readonly string[] => [
  ...[
    `x_${key}`,
    `${key}_x`,
    `team-${key}-1`,
    `x${key}`,
    `${key}0`,
    `${"x".repeat(100)}${key}`,
    `${key}${"y".repeat(100)}`,
    `abc${key}${"y".repeat(100)}`,
  ],
  ...[`a%3A${key}`, `Bearer%20${key}`, encodeURIComponent(`"${key}"`), `%zz%20${key}`],
];
/** A query as long as the server takes. */
const MANY = Array.from({ length: 9_000 }, (_, at) => `${at}=sk-aB3dEfGhIjK1mN0pQ${at}`).join("&");
function encoded(key: string): readonly string[] {
  const of = (text: string, how: "base64" | "base64url" = "base64"): string => Buffer.from(text).toString(how);
  return [of(key), of(`user:${key}`), `Bearer ${of(`${key}:`, "base64url")}`, encodeURIComponent(of(`ab:${key}`)), `a="${of(key)}", b`];
}

test("a key that was made or used is found in any text of a header, and nothing else is", () => {
  const keys = ownKeys(vault);
  keys.remember(USED);
  for (const key of [USED, made]) {
    const basic = `Basic ${Buffer.from(`user:${key}`).toString("base64")}`;
    for (const text of [key, `Bearer ${key}`, `  bearer\t${key} `, `Token token="${key}"`, `a, ${key}, b`, `{"key":"${key}"}`, basic])
      expect({ text, within: keys.foundIn(text) }).toEqual({ text, within: true });
    for (const text of [...touching(key), ...encoded(key)]) {
      expect({ text, within: keys.foundIn(text) }).toEqual({ text, within: true });
      for (const long of [`${text} ${MANY}`, `${MANY} ${text}`])
        expect({ text, within: keys.foundIn(long) }).toEqual({ text, within: true });
    }
    expect(keys.foundIn(MANY)).toBe(false);
    for (const text of [
      key.slice(1),
      ...touching(key.slice(1)),
      ...encoded(key.slice(1)),
      "",
      "Bearer sk-provider-key-0123456789",
      "Basic %%%",
      "x".repeat(10_000),
    ])
      expect({ text, within: keys.foundIn(text) }).toEqual({ text, within: false });
  }
});

test("a text that was judged before a key of it was known is judged again", () => {
  const keys = ownKeys(vault);
  expect(keys.foundIn(`Bearer ${USED}`)).toBe(false);
  keys.remember(USED);
  expect(keys.foundIn(`Bearer ${USED}`)).toBe(true);
});

test("of very many keys the oldest are forgotten, and those with the check never", () => {
  const keys = ownKeys(vault);
  for (const key of [USED, made]) keys.remember(key);
  for (let i = 0; i < 10_000; i += 1) keys.remember(`another-key-0123456789-${i}`);
  expect([keys.foundIn(USED), keys.foundIn(made), keys.foundIn("another-key-0123456789-9999")]).toEqual([false, true, true]);
});

test("of a text that is shown only what holds a key is hidden, or all where that cannot be told apart", () => {
  const keys = ownKeys(vault);
  keys.remember(USED);
  for (const key of [USED, made]) {
    const base64 = Buffer.from(`${key}?????`).toString("base64"); // with slashes
    expect(keys.hide(`{"a":"${key}","b":"Bearer sk-provider-key-0123456789"}`)).toBe(
      '{"a":"[redacted]","b":"Bearer sk-provider-key-0123456789"}',
    );
    expect(keys.hide(`https://a.example.com/x_${key}/v1?code=${encodeURIComponent(key)}`)).toBe(
      "https://a.example.com/[redacted]/v1?[redacted]",
    );
    for (const text of [...touching(key), ...encoded(key), base64]) expect(keys.foundIn(keys.hide(text))).toBe(false);
  }
  expect(keys.hide("Bearer sk-provider-key-0123456789")).toBe("Bearer sk-provider-key-0123456789");
});
