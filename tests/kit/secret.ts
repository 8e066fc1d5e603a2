import { describe, expect, test } from "bun:test";
import { isSecretManager, type SecretManager, type SecretSource } from "#contract";
import { forAll, type PluginCase } from "./set-up.ts";

export interface SecretCase extends PluginCase<"secret"> {
  /** Puts a secret where the plugin looks, and takes it away again. */
  readonly put?: (name: string, value: string) => (() => void) | Promise<() => void>;
}
const ODD_NAMES = [
  "",
  " ",
  ".",
  "..",
  "../../../../../../etc/passwd",
  "/etc/passwd",
  "a\u0000b",
  "%2e%2e%2fetc%2fpasswd",
  "__proto__",
  "constructor",
  "x".repeat(5_000),
];

const sourceIn = (provides: SecretSource | SecretManager): SecretSource => (isSecretManager(provides) ? expect.unreachable() : provides);

/** Conformance of a place of secrets: it gives what is there, nothing else, and writes no secret anywhere. */
export function testSecret({ put, ...given }: SecretCase): void {
  describe(`secret ${given.manifest.id}`, () => {
    const all = forAll(given);
    const at = () => ({ ...all(), provides: sourceIn(all().provides) });

    test("reads references of a scheme of its own", () => expect(at().provides.scheme).toMatch(/^[a-z][a-z0-9+._-]*$/));
    test("a name that nobody gave is no secret", async () => {
      expect(await at().provides.read("GATEWAY_KIT_SECRET_NOBODY_SET")).toBeUndefined();
    });
    test("an odd name reaches nothing", async () => {
      for (const name of ODD_NAMES)
        expect([
          name.slice(0, 30),
          await at()
            .provides.read(name)
            .catch(() => undefined),
        ]).toEqual([name.slice(0, 30), undefined]); // a refusal is as good as nothing
    });
    if (put) {
      test("a secret is read to its last character, again and again, and never logged", async () => {
        const value = "s3cret =\"ü$ {}'";
        const remove = await put("GATEWAY_KIT_SECRET", value);
        try {
          expect([await at().provides.read("GATEWAY_KIT_SECRET"), await at().provides.read("GATEWAY_KIT_SECRET")]).toEqual([value, value]);
          expect(JSON.stringify(at().lines)).not.toContain("s3cret");
        } finally {
          remove();
        }
      });
    }
  });
}
