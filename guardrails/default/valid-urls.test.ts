import { beforeEach, describe, expect, test } from "bun:test";
import { GatewayError, type Handles, type Json } from "#contract";
import { judgedAnswer } from "../../tests/kit/judged.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import validUrls from "./checks/validUrls.ts";
import { urlsIn } from "./urls.ts";

let asked: { readonly url: string; readonly method: string | undefined; readonly headers: Headers }[];
let answers: Record<string, () => Response | Promise<Response>>;
let open = 0;
let mostOpen = 0;
const blocked = (host: string): GatewayError => new GatewayError("HOST_BLOCKED", { host, why: "it is not public" });
const host: Pick<Handles, "fetch" | "resolve"> = {
  async fetch(url, { method, headers } = {}) {
    asked.push({ url: String(url), method, headers: new Headers(headers) });
    mostOpen = Math.max(mostOpen, ++open);
    await Promise.resolve();
    open -= 1;
    return (await answers[String(url)]?.()) ?? new Response(null, { status: 404 });
  },
  async resolve(name) {
    if (name.endsWith(".example.com")) return ["203.0.113.1"];
    throw blocked(name);
  },
};
beforeEach(() => {
  asked = [];
  answers = {};
  mostOpen = 0;
});
/** What the result of an answer that is denied shows in the place of its words. */
const REMOVED = "[removed]";
const ok = () => new Response(null, { status: 204 });
const judged = (text: string, parameters: Json = {}, headers = new Headers()) =>
  judgedAnswer(validUrls(host), { choices: [{ message: { role: "assistant", content: text } }] }, { parameters, headers });
const dataOf = async (text: string, parameters: Json = {}): Promise<Json> => (await judged(text, parameters)).check.data as Json;

describe(verifies("2.6.valid-urls", "the URLs of a text"), () => {
  test("work when each answers HEAD with 2xx", async () => {
    answers = { "https://a.example.com/x": ok, "http://b.example.com/": ok };
    expect(await dataOf("See https://a.example.com/x, (http://b.example.com/).")).toMatchObject({
      verdict: true,
      not: false,
      validUrls: ["https://a.example.com/x", "http://b.example.com/"],
      invalidUrls: [],
      validationMethod: "HTTP request",
    });
    expect(asked.map(({ method }) => method)).toEqual(["HEAD", "HEAD"]);
    expect(await dataOf("https://a.example.com/x and https://gone.example.com/")).toMatchObject({
      verdict: false,
      validUrls: [REMOVED],
      invalidUrls: [REMOVED],
      explanation: "Of the URLs in the text, 1 of 2 work.",
    });
  });
  test("do not work where nobody answers, or where the gateway may not call", async () => {
    answers = {
      "https://inside.example.com/": () => Promise.reject(blocked("inside")),
      "https://a.example.com/": () => Promise.reject(new Error("reset")),
    };
    expect(await dataOf("https://inside.example.com/ https://a.example.com/")).toMatchObject({ verdict: false, validUrls: [] });
  });
  test("do not work when they take longer than three seconds", async () => {
    answers = { "https://slow.example.com/": () => new Promise(() => undefined) };
    expect(await dataOf("https://slow.example.com/")).toMatchObject({ verdict: false, invalidUrls: [REMOVED] });
  });
  test("may lead elsewhere, which is judged as any other address, and no header goes along", async () => {
    const to = (location: string) => () => new Response(null, { status: 302, headers: { location } });
    answers = {
      "https://a.example.com/": to("https://b.example.com/y"),
      "https://b.example.com/y": ok,
      "https://loop.example.com/": to("/"),
    };
    const { check } = await judged("https://a.example.com/", { forwardHeaders: ["x-tenant"] }, new Headers({ "x-tenant": "t" }));
    expect(check.verdict).toBe(true);
    expect(asked.map(({ headers }) => headers.get("x-tenant"))).toEqual(["t", null]);
    expect((await dataOf("https://loop.example.com/")).verdict).toBe(false);
    expect(asked.length).toBeLessThan(10);
  });
  test("are looked up alone with onlyDNS", async () => {
    expect(await dataOf("https://a.example.com/x", { onlyDNS: true })).toMatchObject({ verdict: true, validationMethod: "DNS lookup" });
    expect((await dataOf("https://a.example.com/x https://nowhere.invalid/", { onlyDNS: true })).verdict).toBe(false);
    expect(asked).toEqual([]);
  });
  test("turn the verdict around with not; a text without any fails in either case", async () => {
    answers = { "https://a.example.com/": ok };
    expect((await dataOf("https://a.example.com/", { not: true })).verdict).toBe(false);
    expect((await dataOf("https://gone.example.com/", { not: true })).verdict).toBe(true);
    for (const not of [false, true])
      expect(await dataOf("no address", { not })).toMatchObject({ verdict: false, explanation: "The text has no URLs." });
  });
  test("are fifty at most, ten at a time, each once", async () => {
    const many = (count: number): string => Array.from({ length: count }, (_, i) => `https://a.example.com/${i}`).join(" ");
    answers = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`https://a.example.com/${i}`, ok]));
    expect((await dataOf(`${many(50)} ${many(50)}`)).verdict).toBe(true);
    expect([asked.length, mostOpen]).toEqual([50, 10]);
    const { denied, check } = await judged(many(51));
    expect([denied, check.error?.message, asked.length]).toEqual([true, "The text has more than 50 URLs, and no more are looked at.", 50]);
  });
});

test("a URL ends where its sentence goes on", () => {
  const text = "(https://a.example/b_(c)) <https://d.example/?q=1&r=2>, [x](https://e.example/f). https://g.example!";
  expect(urlsIn(text, 9)).toEqual(["https://a.example/b_(c)", "https://d.example/?q=1&r=2", "https://e.example/f", "https://g.example"]);
  const odd = 'HTTPS://A.EXAMPLE/x#part "https://b.example/?q=\'" https:// http://[';
  expect(urlsIn(odd, 9)).toEqual(["HTTPS://A.EXAMPLE/x", "https://b.example/?q=", "http://["]);
  expect([urlsIn("none", 1), urlsIn("https://a.example https://b.example", 1)]).toEqual([[], null]);
});
