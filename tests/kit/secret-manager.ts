import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { TObject } from "@sinclair/typebox";
import { isSecretManager, type Json, type SecretManager } from "#contract";
import { atWork, type PluginCase } from "./set-up.ts";

const ADDRESS = "https://manager.example";

/** Conformance of a manager of secrets: every way to sign in is described, and no failure shows what it was given. */
export function testSecretManager(given: PluginCase<"secret">): void {
  const answeredBy = async (answer: () => Response): Promise<SecretManager> => {
    const { provides } = await atWork({ ...given, host: { ...given.host, fetch: answer } });
    return isSecretManager(provides) ? provides : expect.unreachable();
  };
  const managed = () => answeredBy(() => new Response("{}", { status: 500 }));

  describe(`secret manager ${given.manifest.id}`, () => {
    test("every way to sign in is a closed object, and what is secret of it is text", async () => {
      for (const { additionalProperties, properties } of (await managed()).auth) {
        expect(additionalProperties).toBe(false);
        for (const of of Object.values(properties)) if (of["secret"] === true) expect(of).toMatchObject({ type: "string" });
      }
    });
    test("an address that a tenant chooses is bound to the secrets that go there", async () => {
      for (const { properties } of (await managed()).auth)
        for (const of of Object.values(properties)) if (of["format"] === "uri") expect(of).toMatchObject({ bound: true });
    });
    test.each([500, 429, 403, 404, 200])(
      "an answer of %d that holds no secret is none, and nothing that is told holds a credential",
      async (status) => {
        const { auth, read } = await answeredBy(() => new Response('{"errors":["no"]}', { status }));
        for (const way of auth) {
          const signIn = example(way);
          const said = await read({ organisationId: "org", auth: signIn, path: "a/b", key: "c" }, new AbortController().signal).then(
            (value) => JSON.stringify(value),
            (thrown: unknown) => String(thrown),
          );
          expect(said).not.toContain('"value"');
          expect(said).not.toContain("s3cret");
        }
      },
    );
  });
}

/** A way to sign in as a tenant would fill it in. */
function example(way: TObject): Json {
  const filled = Object.entries(way.properties).map(([member, of]) => [
    member,
    of["const"] ?? (of["format"] === "uri" ? ADDRESS : `s3cret-${member.replaceAll("_", "-")}`),
  ]);
  const signIn: Json = Object.fromEntries(filled);
  expect(Value.Check(way, signIn)).toBe(true);
  return signIn;
}
