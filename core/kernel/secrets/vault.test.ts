import { expect, test } from "bun:test";
import { createVault } from "./vault.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("content opens under its own name, and neither altered nor under another", () => {
  const hidden: string[] = [];
  const vault = createVault("a secret key for tests, long enough", (text) => void hidden.push(text));
  const sealed = vault.sealContent(bytes("What they said"), "resp_1");
  expect(Buffer.from(sealed).toString("latin1")).not.toContain("they said");
  expect(new TextDecoder().decode(vault.openContent(sealed, "resp_1"))).toBe("What they said");
  expect(() => vault.openContent(sealed, "resp_2")).toThrow("could not be opened");
  expect(() =>
    vault.openContent(
      sealed.map((byte, at) => (at === 40 ? byte ^ 1 : byte)),
      "resp_1",
    ),
  ).toThrow("could not be opened");
  expect(() => vault.openContent(new Uint8Array(3), "resp_1")).toThrow("not in the sealed form");
  expect(() => createVault("another secret key for tests, long", () => undefined).openContent(sealed, "resp_1")).toThrow();
  expect(hidden).toEqual([]);
  expect(vault.open(vault.seal("kept secret"))).toBe("kept secret");
  expect(hidden).toEqual(["kept secret", "kept secret"]);
});
