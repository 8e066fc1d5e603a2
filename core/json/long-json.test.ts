import { describe, expect, test } from "bun:test";
import { turnsDuring } from "#kit";
import { CONVERSATION, isLong, refuseSlow, VECTORS } from "./long-json.ts";

const many = (count: number, make: (at: number) => string): string => Array.from({ length: count }, (_, at) => make(at)).join(",");
const said = (text: string, limits = CONVERSATION): Promise<string> =>
  refuseSlow(text, limits).then(
    () => "taken",
    (thrown: unknown) => String(thrown),
  );

describe("a long text of an upstream's", () => {
  test("is taken when it is what providers answer", async () => {
    const likely = (at: number): string => `{"token":"t${at}","logprob":-0.125,"bytes":[116,49]}`;
    const tokens = many(4_096, (at) => `{"token":"t${at}","logprob":-0.125,"bytes":[116,49],"top_logprobs":[${many(20, likely)}]}`);
    const logprobs = `{"choices":[{"index":0,"logprobs":{"content":[${tokens}]}}]}`;
    const images = `{"data":[${many(4, () => `{"b64_json":"${"QUJD".repeat(1_000_000)}"}`)}]}`;
    const code = `{"choices":[{"message":{"content":"${'if (a) {\\n\\tsay(\\"b\\");\\n}\\n'.repeat(50_000)}"}}]}`;
    for (const text of [logprobs, images, code]) {
      expect(isLong(text)).toBe(true);
      expect(await said(text)).toBe("taken");
    }
  });
  test("may hold millions of numbers where vectors were asked for, and nowhere else", async () => {
    const numbers = `[${many(3_072, () => "-0.01234567")}]`;
    const vectors = `{"data":[${many(2_048, (index) => `{"object":"embedding","index":${index},"embedding":${numbers}}`)}]}`;
    expect(await said(vectors, VECTORS)).toBe("taken");
    expect(await said(vectors)).toContain("more than 1000000 JSON values");
  });
  test("is refused in words that say what it holds too much of", async () => {
    expect(await said(`[${"{},".repeat(2_000_000)}1]`)).toContain("objects and arrays");
    expect(await said(`{${many(200_000, (at) => `"k${at}":1`)}}`)).toContain("different names of members");
    expect(await said(`["${"\\n".repeat(3_000_000)}"]`)).toContain("escaped characters");
    expect(await said("[".repeat(100_000))).toContain("nested deeper than 512 levels");
  });
  test("is judged while others have their turn", async () => {
    const turns = await turnsDuring(() => refuseSlow(`[${"12345678,".repeat(1_000_000)}1]`, VECTORS));
    expect(turns).toBeGreaterThan(30);
  });
});
