import { describe, expect, test } from "bun:test";
import type { Mail, OutgoingMail } from "#contract";
import { forAll, frozen, type PluginCase } from "./set-up.ts";

/** A mail for this address. */
export const mailTo = (to: string, more: Partial<Omit<Mail, "to">> = {}): OutgoingMail => ({
  ...{ id: "0b5f9d52-5a3a-4f7e-9f0e-0d6f4f3c9c11", to, subject: "A subject", text: "A text.\n", html: "<p>A text.</p>\n" },
  ...more,
});

/** Conformance of a way out for mail: it changes nothing of a mail, takes any text, and gives up when it is told to. */
export function testMail(given: PluginCase<"mail">): void {
  describe(`mail ${given.manifest.id}`, () => {
    const at = forAll(given);

    test("what it answers is nothing, or a refusal; whatever else happens is a throw", async () => {
      for (const subject of ["", "Grüße 😀", `${"x".repeat(200)}`]) {
        const mail = frozen(mailTo("ada@example.org", { subject, text: `${subject}\n.\nQUIT\n`, html: `<p>${subject}</p>` }));
        const answer = await at()
          .provides.send(mail, AbortSignal.timeout(5_000))
          .catch((thrown: unknown) => expect(thrown).toBeInstanceOf(Error));
        if (answer !== undefined) expect(answer).toEqual({ refused: expect.any(String) });
      }
    });
    test("told to give up before it begins, it sends nothing", async () => {
      const before = at().sent.length;
      await expect(at().provides.send(mailTo("ada@example.org"), AbortSignal.abort(new Error("told to")))).rejects.toThrow();
      expect(at().sent.length).toBe(before);
    });
  });
}
