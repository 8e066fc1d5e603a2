import { beforeEach, describe, expect, test } from "bun:test";
import { GatewayError, type Handles, type Json, mountedOperation, type OperationId } from "#contract";
import { GENERATED } from "../../plugins/api/gemini/content.ts";
import { type Judging, judgedRequest } from "../../tests/kit/judged.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import inlineImageUrls from "./checks/inlineImageUrls.ts";

const PNG = new Uint8Array([137, 80, 78, 71]);
const BASE64 = "iVBORw==";
const A = "https://img.example.com/a.png";
const B = "https://img.example.com/b.png";
let asked: { readonly url: string; readonly headers: Headers }[];
let answers: Record<string, () => Response | Promise<Response>>;
const image =
  (bytes: BodyInit = PNG, type = "image/png") =>
  () =>
    new Response(bytes, { headers: { "content-type": type } });
const fetch: Handles["fetch"] = async (url, { headers } = {}) => {
  asked.push({ url: String(url), headers: new Headers(headers) });
  return (await answers[String(url)]?.()) ?? new Response(null, { status: 404 });
};
beforeEach(() => {
  asked = [];
  answers = { [A]: image(), [B]: image(PNG, "image/jpeg; q=1") };
});
const judged = (body: Json, parameters: Json = {}, more: Judging & { operation?: OperationId } = {}) =>
  judgedRequest(inlineImageUrls({ fetch }), body, { parameters, ...more });
const user = (...content: readonly Json[]): Json => ({ messages: [{ role: "user", content }] });
const picture = (url: string): Json => ({ type: "image_url", image_url: { url, detail: "low" } });
const inline = (type = "image/png"): string => `data:${type};base64,${BASE64}`;

describe(verifies("2.6.inline-images", "images are put into a request"), () => {
  test("of chat, wherever they stand, each fetched once", async () => {
    const body = {
      messages: [
        ...(user(picture(A), picture(B))["messages"] as Json[]),
        { role: "assistant", content: "ok" },
        ...(user(picture(A))["messages"] as Json[]),
      ],
    };
    const done = await judged(body);
    expect(JSON.stringify(done.body)).toBe(JSON.stringify(body).replaceAll(A, inline()).replaceAll(B, inline("image/jpeg")));
    expect([done.denied, asked.length, done.check.data]).toEqual([false, 2, expect.objectContaining({ inlined: 2, failed: [] })]);
  });
  test("of messages, also in the results of tools", async () => {
    const source = { type: "url", url: A };
    const { body } = await judged(
      user({ type: "image", source }, { type: "tool_result", tool_use_id: "t", content: [{ type: "image", source }] }),
      {},
      { operation: "messages" },
    );
    const inside = { type: "image", source: { type: "base64", media_type: "image/png", data: BASE64 } };
    expect(body).toEqual(user(inside, { type: "tool_result", tool_use_id: "t", content: [inside] }));
  });
  test("of responses", async () => {
    const asking = (url: string): Json => ({ input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }] });
    expect((await judged(asking(A), {}, { operation: "createModelResponse" })).body).toEqual(asking(inline()));
  });
  test("of Gemini", async () => {
    const row = mountedOperation("generateContent", { content: GENERATED });
    const asking = (part: Json): Json => ({ contents: [{ role: "user", parts: [{ text: "a" }, part] }] });
    const body = asking({ fileData: { fileUri: A, mimeType: "image/png" } });
    expect((await judged(body, {}, { operation: "generateContent", row })).body).toEqual(
      asking({ inlineData: { mimeType: "image/png", data: BASE64 } }),
    );
  });
  test("for the providers that were named, and not where there is none", async () => {
    const body = user(picture(A));
    expect((await judged(body, { providers: ["other"] })).body).toEqual(body);
    expect((await judged(user(picture(inline())))).body).toEqual(user(picture(inline())));
    expect(asked).toEqual([]);
    expect((await judged(body, { providers: ["kit"] })).body).toEqual(user(picture(inline())));
  });
});

describe("what cannot be fetched", () => {
  test("stays as it was, and is an error where all of it is, or where that is wanted", async () => {
    delete answers[B];
    const body = user(picture(A), picture(B));
    const some = await judged(body);
    expect(some.body).toEqual(user(picture(inline()), picture(B)));
    expect((some.check.data as Json)["failed"]).toEqual([{ url: B, why: expect.stringContaining("it answered 404") }]);
    const strict = await judged(body, { failOnError: true });
    expect([strict.denied, strict.body, strict.check.error?.name]).toEqual([true, body, "Unavailable error"]);
    const none = await judged(user(picture(B)));
    expect([none.denied, none.body, none.check.error?.name]).toEqual([false, user(picture(B)), "Unavailable error"]);
  });
  test("is what is no image, what is too large, too late, or where the gateway may not call", async () => {
    const late = new Promise<Response>(() => undefined);
    for (const [answer, parameters, why] of [
      [image("<svg/>", "image/svg+xml"), {}, "it is no image"],
      [image("<html>", "text/html"), {}, "it is no image"],
      [image(new Uint8Array(5)), { maxSizeBytes: 4 }, "more than 4 bytes"],
      [() => Promise.reject(new GatewayError("HOST_BLOCKED", { host: "inside", why: "no" })), {}, "inside"],
    ] as const) {
      answers[A] = answer;
      expect((await judged(user(picture(A)), { ...parameters, failOnError: true })).check.error?.message).toContain(why);
    }
    answers[A] = () => late;
    const waiting = inlineImageUrls({
      fetch: (_, init) => new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error))),
    });
    const { check } = await judgedRequest(waiting, user(picture(A)), { parameters: { timeoutMs: 20, failOnError: true } });
    expect(check.error?.name).toBe("Unavailable error");
  });
  test("is more than twenty images, or than 32 MB of them", async () => {
    const many = Array.from({ length: 21 }, (_, i) => picture(`https://img.example.com/${i}`));
    expect((await judged(user(...many))).check.error?.name).toBe("Budget error");
    expect(asked).toEqual([]);
    const large = image(new Uint8Array(17_000_000));
    answers = { [A]: large, [B]: large };
    const { check } = await judged(user(picture(A), picture(B)), { failOnError: true });
    expect(check.error?.message).toContain("all images together");
  });
  test("leads elsewhere, and headers that go along stay with the first", async () => {
    const to = "https://cdn.example.com/x.png";
    answers = { [A]: () => new Response(null, { status: 307, headers: { location: to } }), [to]: image() };
    const done = await judged(user(picture(A)), { forwardHeaders: ["x-tenant"] }, { headers: new Headers({ "x-tenant": "t" }) });
    expect(done.body).toEqual(user(picture(inline())));
    expect(asked.map(({ url, headers }) => [url, headers.get("x-tenant")])).toEqual([
      [A, "t"],
      [to, null],
    ]);
  });
});
