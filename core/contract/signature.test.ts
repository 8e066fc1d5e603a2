import { describe, expect, test } from "bun:test";
import { sealedSignature, sealedThought, signatureFor, signedBy, unsealed } from "./signature.ts";

describe("a signature of a thought or a call", () => {
  const marked = signedBy("one", "AB+/c2ln==");
  test("goes back to the wire it came from as it was, and to no other", () => {
    expect([signatureFor("one", marked), signatureFor("two", marked), signatureFor("on", marked)]).toEqual([
      "AB+/c2ln==",
      undefined,
      undefined,
    ]);
    expect(signedBy("two", marked)).toBe(marked);
  });
  test("without a mark is taken for the wire's own, as those of conversations begun before there were marks", () => {
    expect([signatureFor("one", "c2ln"), signatureFor("one", ""), signatureFor("one", 7)]).toEqual(["c2ln", undefined, undefined]);
  });
  test.each(["base64", "base64url"] as const)("survives a client that reads it as bytes and writes them as %s", (alphabet) => {
    const rewritten = (text: string): string => Buffer.from(text, "base64").toString(alphabet);
    expect(unsealed(rewritten(sealedSignature(marked)))).toEqual({ type: "signature", signature: marked });
    expect(unsealed(rewritten(sealedThought("a sec?et~")))).toEqual({ type: "redacted", data: "a sec?et~" });
    expect([sealedSignature("c2ln"), unsealed("c2ln")]).toEqual(["c2ln", { type: "signature", signature: "c2ln" }]);
  });
});
