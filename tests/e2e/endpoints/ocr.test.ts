/** POST /v1/ocr. */
import { expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, SANDBOX } from "./api.ts";
import { denying, loggedOf } from "./client.ts";

const api = forAll();
const ocr = (headers: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>) =>
  api.data("POST", "/v1/ocr", headers, body);
const asked = (text: string) => ({
  model: "sandbox-ocr",
  document: { type: "document_url", document_url: `data:text/plain,${encodeURIComponent(text)}` },
});
const MISTRAL = { "x-gateway-provider": "mistral-ai" };
const WIRE = `{"pages":[{"index":0,"markdown":"# Bill\\n\\n12.50","images":[{"id":"img-0.jpeg","image_base64":null}],"dimensions":{"dpi":200,"height":2200,"width":1700}}],"model":"mistral-ocr-2505","usage_info":{"pages_processed":1,"doc_size_bytes":1234}}`;

test(verifies("1.tag-ocr", "a document's pages come back as Markdown, with how many were read"), async () => {
  expect(bodyOf(await ocr(SANDBOX, asked("First page\fSecond page")))).toEqual({
    pages: [
      { index: 0, markdown: "First page", images: [] },
      { index: 1, markdown: "Second page", images: [] },
    ],
    model: "sandbox-ocr",
    usage_info: { pages_processed: 2 },
  });
  expect(bodyOf(await ocr(SANDBOX, { ...asked("a\fb\fc"), pages: [1] }))).toMatchObject({ pages: [{ index: 1, markdown: "b" }] });
});
test("an image is read too, by its URL", async () => {
  const document = { type: "image_url", image_url: "https://example.com/receipt.png?size=2" };
  expect(bodyOf(await ocr(SANDBOX, { model: "m", document }))).toMatchObject({
    pages: [{ markdown: "The sandbox has read receipt.png." }],
  });
});
test(verifies("D7.3.ocr", "bodies pass byte for byte to Mistral and back, and are logged"), async () => {
  api.upstream.answer(jsonAnswer(WIRE));
  const body = {
    model: "mistral-ocr-latest",
    document: { type: "image_url", image_url: "https://a.example/b.png" },
    image_limit: 2,
    x_new: 1,
  };
  const answer = await ocr({ ...api.replayed, ...MISTRAL }, body);
  expect([answer.text, api.upstream.received.at(-1)?.path, api.upstream.received.at(-1)?.json()]).toEqual([WIRE, "/v1/ocr", body]);
  expect(await loggedOf(api, answer)).toMatchObject({
    request: body,
    metrics: { ai_org: "mistral-ai", ai_model: "mistral-ocr-2505", response_status_code: 200 },
  });
});
test(verifies("D7.3.ocr-guarded", "an output guardrail reads the pages, an input guardrail what is asked about them"), async () => {
  bodyOf(await ocr(denying(SANDBOX, "output", "secret"), asked("fine\fa secret")), 446);
  bodyOf(await ocr(denying(SANDBOX, "output", "secret"), asked("fine")));
  bodyOf(await ocr(denying(SANDBOX, "input", "secret"), { ...asked("fine"), document_annotation_prompt: "a secret" }), 446);
});
test("what an output guardrail reads beside a page's Markdown: tables, notes, the document's annotation", async () => {
  const pages = [{ index: 0, markdown: "fine", tables: [{ id: "t", content: "<td>a secret</td>" }] }];
  for (const wire of [{ pages }, { pages: [{ index: 0, markdown: "" }], document_annotation: '{"a":"secret"}' }]) {
    api.upstream.answer(jsonAnswer(JSON.stringify({ ...wire, model: "m" })));
    bodyOf(await ocr(denying({ ...api.replayed, ...MISTRAL }, "output", "secret"), asked("x")), 446);
  }
});
test.each([
  ["document", { model: "m" }],
  ["document.type", { model: "m", document: { type: "video" } }],
  ["image_limit", { ...asked("x"), image_limit: 0 }],
])("a wrong member %s is named", async (param, body) => expect(at(bodyOf(await ocr(SANDBOX, body), 400), "error", "param")).toBe(param));
test("a provider without OCR is refused by its name", async () =>
  expect(at(bodyOf(await ocr({ "x-gateway-provider": "groq" }, asked("x")), 400), "error", "message")).toContain("groq"));
test.each([
  ["", 0.4], // four pages at a tenth of a cent
  [',"document_annotation":"{}"', 1.2],
])(verifies("D7.3.ocr-price", "costs what the price list says for each page%s"), async (members, cost) => {
  const WIRE_OF_FOUR = WIRE.replace('"pages_processed":1', '"pages_processed":4').replace(/}$/, `${members}}`);
  api.upstream.answer(jsonAnswer(WIRE_OF_FOUR));
  const target = { ...MISTRAL, authorization: "Bearer k", "x-gateway-custom-host": `${api.upstream.url}/v1` };
  const document = { type: "image_url", image_url: "https://a.example/b.png" };
  const answer = await ocr(target, { model: "mistral-ocr-latest", document });
  expect((await loggedOf(api, answer)).metrics).toMatchObject({ cost: expect.closeTo(cost, 9) });
});
