import { expect, test } from "bun:test";
import type { Manifest } from "#contract";
import { atWork, mailTo, testMail } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

const given = { plugin, manifest: manifest as Manifest };
testMail({ ...given, host: { fetch: () => new Response() } });

test("a mail is signed with the key", async () => {
  const { provides, sent, close } = await atWork({ ...given, host: { fetch: () => new Response() } });
  expect(await provides.send(mailTo("ada@example.org"), AbortSignal.timeout(5_000))).toBeUndefined();
  expect(sent[0]?.headers.get("authorization")).toBe("Bearer secret-of-SPROCKET_API_KEY");
  await close();
});

test.each([
  [422, "final"],
  [503, "tried again"],
])("the answer %d is %s", async (status, becomes) => {
  const { provides, close } = await atWork({ ...given, host: { fetch: () => new Response(null, { status }) } });
  const sending = provides.send(mailTo("ada@example.org"), AbortSignal.timeout(5_000));
  if (becomes === "final") expect(await sending).toEqual({ refused: expect.any(String) });
  else await expect(sending).rejects.toThrow("503");
  await close();
});
