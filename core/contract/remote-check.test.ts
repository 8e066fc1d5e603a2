import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "bun:test";
import { Vendor } from "../../tests/kit/vendor.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import type { CheckInput, ErrorClass, RemoteCheck, Verdict } from "./guardrail.ts";
import { CheckFault } from "./vendor.ts";
import { remoteCheck, remoteCheckOfEach } from "./remote-check.ts";

const NEEDS = ["net:vendor.example"];
const Reply = Type.Object({ said: Type.String() });
const row = {
  id: "acme.check",
  title: "A check",
  on: ["input"],
  params: Type.Object({}),
  reply: Reply,
  url: () => "https://vendor.example/check",
  headers: () => ({}),
} as const;
const segments = ["one", " ", "two"].map((text, at) => ({ path: `messages[${at}].content`, role: "user", kind: "text", text }) as const);
const input = (text = "hello"): CheckInput<unknown> =>
  ({ text, segments, params: {}, call: { header: () => null }, signal: new AbortController().signal }) as unknown as CheckInput<unknown>; // what it reads

function vendorSaying(said: string) {
  const vendor = new Vendor(NEEDS);
  vendor.answers(() => Response.json({ said }));
  return vendor;
}
const judgedBy = (said: string, judge: RemoteCheck<typeof row.params, typeof Reply>["judge"]): Promise<Verdict> | Verdict =>
  remoteCheck(vendorSaying(said).host, { ...row, ask: ({ text }) => ({ text }), judge }).run(input());

describe("a check that asks a vendor", () => {
  test(verifies("G.partners.bounded", "shows a bounded part of what the vendor says"), async () => {
    const long = "x".repeat(500_000);
    const denied = await judgedBy(long, ({ said }) => ({ verdict: "deny", reason: `It is ${said}`, data: { said, list: [said] } }));
    expect(JSON.stringify(denied).length).toBeLessThan(20_000);
    expect(denied).toMatchObject({ verdict: "deny", reason: expect.stringMatching(/^It is x+…$/), data: { omitted: expect.any(String) } });
    const error = await judgedBy(long, ({ said }) => ({ verdict: "error", class: "malformed", message: said, data: said }));
    expect(JSON.stringify(error).length).toBeLessThan(20_000);
    const short = { verdict: "allow", data: { said: "y" } } as const;
    expect(await judgedBy("y", ({ said }) => ({ verdict: "allow", data: { said } }))).toEqual(short);
  });
  test("shows nothing of data that no JSON can hold, and judges all the same", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(await judgedBy("y", () => ({ verdict: "allow", data: cycle }))).toMatchObject({ verdict: "allow" });
  });
  test.each<[number, ErrorClass]>([
    [400, "malformed"],
    [401, "auth"],
    [403, "auth"],
    [404, "config"],
    [408, "timeout"],
    [413, "budget"],
    [429, "unavailable"],
    [503, "unavailable"],
  ])(verifies("G.partners.failures", "a vendor's %d is an error of class %s, without its words"), async (status, errorClass) => {
    const vendor = new Vendor(NEEDS);
    vendor.answers(() => new Response("words of the vendor's", { status }));
    const check = remoteCheck(vendor.host, { ...row, ask: ({ text }) => ({ text }), judge: () => ({ verdict: "allow" }) });
    const thrown: unknown = await Promise.resolve(check.run(input())).catch((error: unknown) => error);
    expect(CheckFault.is(thrown) && [thrown.errorClass, thrown.message]).toEqual([
      errorClass,
      `acme.check: the service answered ${status}`,
    ]);
  });
  test("does not ask where the verdict is known", async () => {
    const vendor = vendorSaying("y");
    const check = remoteCheck(vendor.host, {
      ...row,
      ask: ({ text }) => ({ text }),
      judge: () => ({ verdict: "deny", reason: "asked" }),
      unasked: ({ text }) => (text === "" ? { verdict: "allow" } : undefined),
    });
    expect([await check.run(input("")), vendor.requests.length]).toEqual([{ verdict: "allow" }, 0]);
    expect([await check.run(input("a")), vendor.requests.length]).toMatchObject([{ verdict: "deny" }, 1]);
  });
  test("may sign what it sends, and send a text of its own", async () => {
    const vendor = vendorSaying("y");
    const check = remoteCheck(vendor.host, {
      ...row,
      headers: (_, __, { url, body }) => ({ "content-type": "application/x-www-form-urlencoded", "x-signature": `${url} ${body}` }),
      ask: ({ text }) => `text=${text}`,
      judge: () => ({ verdict: "allow" }),
    });
    await check.run(input());
    const [sent] = vendor.requests;
    expect([sent?.body, sent?.headers.get("content-type"), sent?.headers.get("x-signature")]).toEqual([
      "text=hello",
      "application/x-www-form-urlencoded",
      "https://vendor.example/check text=hello",
    ]);
  });
  test("about each text asks nothing about one without a word, and one finding that stays denies", async () => {
    const vendor = vendorSaying("y");
    const check = remoteCheckOfEach(vendor.host, {
      ...row,
      ask: ({ text }) => ({ text }),
      judge: (_, { text }) => (text === "one" ? { reason: "found", redacted: "***" } : { reason: null }),
    });
    expect(await check.run(input())).toEqual({ verdict: "transform", patches: [{ path: "messages[0].content", text: "***" }] });
    expect(vendor.requests.map(({ body }) => body)).toEqual(['{"text":"one"}', '{"text":"two"}']);
  });
});
