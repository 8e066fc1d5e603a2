/** Images, and their limits. */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { type Answer, GATEWAY_KEY } from "../process.ts";
import { at, bodyOf, forAll, itemsOf, type Json, OPENAI_KEY, SANDBOX } from "./api.ts";

const api = forAll();
const PNG = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 255, 0, 13, 10, 45, 45]); // line breaks and dashes, as in a boundary
/** So many that what garbage is left in passing is small beside them. */
const AT_ONCE = 3;
const MB = 1024 * 1024;

type Fields = Readonly<Record<string, string | Blob>>;
const image = new File([PNG], "cat.png", { type: "image/png" });
function form(fields: Fields): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
}
async function edit(body: BodyInit, headers: Readonly<Record<string, string>> = SANDBOX): Promise<Answer> {
  const response = await fetch(`${api.gateway.base}/v1/images/edits`, {
    method: "POST",
    headers: { "x-gateway-api-key": GATEWAY_KEY, ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}
const RESULT: Json = {
  created: 1_700_000_000,
  data: [{ b64_json: "AA==", url: "https://images.example.com/1.png", revised_prompt: "a hat" }],
};

describe("E6: POST /v1/images/edits", () => {
  test(verifies("E6.edit", "takes an image and a prompt, and gives an image result"), async () => {
    expect(bodyOf(await edit(form({ image, prompt: "a hat" })))).toEqual({
      created: expect.any(Number),
      data: [{ url: expect.stringMatching(/^https:/), revised_prompt: "a hat" }],
    });
  });
  test(verifies("2.9.fields", "the result has created and data of b64_json, url and revised_prompt"), async () => {
    api.upstream.answer(jsonAnswer(RESULT));
    expect(bodyOf(await edit(form({ image, prompt: "a hat" }), api.replayed))).toEqual(RESULT);
    expect(itemsOf(await edit(form({ image, prompt: "a hat", response_format: "b64_json" })))).toEqual([
      { b64_json: expect.any(String), revised_prompt: "a hat" },
    ]);
  });
  test(verifies("E6.fields", "every field of the form reaches the provider"), async () => {
    api.upstream.answer(jsonAnswer(RESULT));
    const fields = {
      image,
      prompt: "a hät",
      mask: new File([PNG.slice(0, 4)], "mask.png", { type: "image/png" }),
      model: "dall-e-2",
      n: "2",
      size: "512x512",
      response_format: "url",
      user: "u-1",
      something_new: "yes",
    };
    bodyOf(await edit(form(fields), api.replayed));
    const seen = api.upstream.received.at(-1);
    expect({ path: seen?.path, key: seen?.headers.get("authorization") }).toEqual({
      path: "/v1/images/edits",
      key: `Bearer ${OPENAI_KEY}`,
    });
    const read = await new Response(seen?.body as BodyInit, {
      headers: { "content-type": seen?.headers.get("content-type") ?? "" },
    }).formData(); // the bytes as they came
    for (const [name, value] of Object.entries(fields)) {
      const got = read.get(name);
      if (typeof value === "string") expect({ name, got }).toEqual({ name, got: value });
      else
        expect({ name: (got as unknown as File).name, bytes: await (got as unknown as Blob).bytes() }).toEqual({
          name: value.name,
          bytes: await value.bytes(),
        }); // a file was sent, a file comes
    }
  });
  test(verifies("D7.4.form-passes", "the multipart bytes reach the provider unchanged, with their own boundary"), async () => {
    const boundary = "----my\tboundary".replace("\t", "0");
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="image"; filename="a b.png"\r\nContent-Type: image/png\r\nX-Part: 1\r\n\r\n`;
    const sent = Buffer.concat([
      Buffer.from(head),
      PNG,
      Buffer.from(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="prompt"\r\n\r\na hat\r\n--${boundary}--\r\n`),
    ]);
    bodyOf(await edit(sent, { ...api.replayed, "content-type": `multipart/form-data; boundary=${boundary}` }));
    const seen = api.upstream.received.at(-1);
    expect(Buffer.compare(Buffer.from(seen?.body ?? []), sent)).toBe(0);
    expect(seen?.headers.get("content-type")).toBe(`multipart/form-data; boundary=${boundary}`);
  });
  test.each(["256x256", "512x512", "1024x1024"])(verifies("8.images-size", "takes the size %s"), async (size) => {
    bodyOf(await edit(form({ image, prompt: "x", size })));
    bodyOf(await edit(form({ image, prompt: "x", size: `${size}0` })), 400);
  });
  test.each(["1", "10"])(verifies("8.images-n", "takes n=%s"), async (n) =>
    expect(itemsOf(await edit(form({ image, prompt: "x", n })))).toHaveLength(Number(n)),
  );
  test.each([
    ["n", form({ image, prompt: "x", n: "0" })],
    ["n", form({ image, prompt: "x", n: "11" })],
    ["n", form({ image, prompt: "x", n: "two" })],
    ["image", form({ prompt: "x" })],
    ["prompt", form({ image })],
    ["response_format", form({ image, prompt: "x", response_format: "gif" })],
  ])("what is wrong with %s is said in the error body", async (param, body) =>
    expect(at(bodyOf(await edit(body), 400), "error", "param")).toBe(param),
  );
  test("a body that is no form is refused", async () => {
    bodyOf(await edit('{"prompt":"x"}', { ...SANDBOX, "content-type": "application/json" }), 400);
    bodyOf(await edit("no boundary at all", { ...SANDBOX, "content-type": "multipart/form-data; boundary=x" }), 400);
  });
  test.skipIf(process.platform !== "linux")(
    verifies("E6.streamed", "images of 50 MB, three at once, pass through and the gateway's memory does not grow by them"),
    async () => {
      api.upstream.answer(jsonAnswer(RESULT));
      bodyOf(await edit(form({ image, prompt: "warm" }), api.replayed));
      writeFileSync(`/proc/${api.gateway.pid}/clear_refs`, "5"); // from here on, the peak counts anew
      const before = peakMb(api.gateway.pid);
      const large = new Uint8Array(Buffer.alloc(50 * MB, crypto.getRandomValues(new Uint8Array(65_521)))); // a prime length: no two blocks of a buffer look alike
      const asked = Array.from({ length: AT_ONCE }, () => edit(form({ image: new File([large], "large.png"), prompt: "x" }), api.replayed));
      for (const answer of await Promise.all(asked)) bodyOf(answer);
      for (const { body } of api.upstream.received.slice(-AT_ONCE)) {
        const seen = Buffer.from(body);
        const start = seen.indexOf("\r\n\r\n") + 4;
        expect(Buffer.compare(seen.subarray(start, start + large.length), Buffer.from(large.buffer))).toBe(0);
      }
      expect(peakMb(api.gateway.pid) - before).toBeLessThan(50); // less than one of them
    },
    30_000,
  );
  test(verifies("1.tag-images", "has generations beside it"), async () => {
    expect(itemsOf(await api.data("POST", "/v1/images/generations", SANDBOX, { prompt: "a hat", n: 2 }))).toHaveLength(2);
    expect(bodyOf(await api.data("GET", "/openapi.json"))["paths"]).toMatchObject({
      "/v1/images/edits": { post: { tags: ["Images"], requestBody: { content: { "multipart/form-data": {} } } } },
    });
  });
});

/** The most memory the process had since the peak was last cleared, in MB. */
const peakMb = (pid: number): number => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
