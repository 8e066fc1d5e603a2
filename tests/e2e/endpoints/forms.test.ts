/** Multipart forms of any client: what is read of them, by whom, and what is refused because two readers could read two things. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { GATEWAY_KEY } from "../process.ts";
import { at, forAll } from "./api.ts";
import { denying, loggedOf } from "./client.ts";

const api = forAll();
const B = "b-1";
const CD = "Content-Disposition: form-data; ";
const part = (head: string, value: string): string => `--${B}\r\n${head}\r\n\r\n${value}\r\n`;
const MODEL = part(`${CD}name="model"`, "gpt-image-1");
const IMAGE = part(`${CD}name="image"; filename="a.png"`, "x");
const END = `--${B}--\r\n`;
const TYPE = `multipart/form-data; boundary=${B}`;

type Headers = Readonly<Record<string, string>>;
interface Sent {
  readonly path?: string;
  readonly type?: string;
  readonly headers?: Headers;
}
async function send(form: string | Buffer, { path = "/v1/images/edits", type = TYPE, headers = api.replayed }: Sent = {}) {
  const from = api.upstream.received.length;
  const response = await fetch(api.gateway.base + path, {
    method: "POST",
    headers: { "x-gateway-api-key": GATEWAY_KEY, ...headers, "content-type": type },
    body: typeof form === "string" ? form : new Uint8Array(form),
  });
  const text = await response.text();
  return { status: response.status, text, headers: response.headers, reached: api.upstream.received.length > from };
}

describe("the model of a form that nobody else reads decides its price,", () => {
  const USAGE = { type: "tokens", input_tokens: 140, output_tokens: 20, total_tokens: 160 };
  const spoken = part(`${CD}name="file"; filename="a.wav"`, "xx");
  const priced = async (form: string) => {
    api.upstream.answer(jsonAnswer({ text: "hello", usage: USAGE }));
    const answer = await send(form, { path: "/v1/audio/transcriptions" });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    const { metrics } = await loggedOf(api, answer);
    return { model: at(metrics, "ai_model"), cost: at(metrics, "cost") };
  };
  test("however the client writes it", async () => {
    const heads = [
      `${CD}name="model"`,
      `Content-Type: text/plain; charset=utf-8\r\n${CD}name=model`,
      'content-disposition: form-data; name="model"',
      'Content-Disposition:form-data;name="model"\r\nContent-Length: 17',
    ];
    for (const head of heads)
      for (const form of [part(head, "gpt-4o-transcribe") + spoken, spoken + part(head, "gpt-4o-transcribe")])
        expect({ head, ...(await priced(form + END)) }).toEqual({ head, model: "gpt-4o-transcribe", cost: expect.any(Number) });
  });
  test("and nothing behind the form's end does", async () => {
    const form = part(`${CD}name="model"`, "gpt-4o-transcribe") + spoken + END + part(`${CD}name="model"`, "gpt-4o-mini-transcribe") + END;
    expect(await priced(form)).toMatchObject({ model: "gpt-4o-transcribe" });
  });
  test.each<[string, string]>([
    ["two models", part(`${CD}name="model"`, "gpt-4o-transcribe") + spoken + part(`${CD}name="model"`, "gpt-4o-mini-transcribe") + END],
    ["a part that says twice what it is", part(`${CD}name="model"\r\n${CD}name="x"`, "gpt-4o-transcribe") + spoken + END],
    ["line feeds alone", (part(`${CD}name="model"`, "gpt-4o-transcribe") + spoken + END).replaceAll("\r\n", "\n")],
    ["no end", part(`${CD}name="model"`, "gpt-4o-transcribe") + spoken],
  ])("and with %s it is refused", async (_, form) => {
    api.upstream.answer(jsonAnswer({ text: "hello", usage: USAGE }));
    const { status, text } = await send(form, { path: "/v1/audio/transcriptions" });
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining("The multipart form cannot be read: ") });
  });
});

describe("a guardrail that denies a word sees it in a form, or the form is refused:", () => {
  const named = (name: string, value = "EVIL", more = ""): string => MODEL + IMAGE + part(`${CD}name="${name}"${more}`, value) + END;
  const typed = (type: string, value: string): Buffer =>
    Buffer.concat([
      Buffer.from(`${MODEL}${IMAGE}--${B}\r\n${CD}name="prompt"\r\nContent-Type: ${type}\r\n\r\n`),
      type.includes("utf-16") ? Buffer.from(value, "utf16le") : Buffer.from(value, "latin1"),
      Buffer.from(`\r\n${END}`),
    ]);
  const hidden: Readonly<Record<string, readonly [form: string | Buffer, more?: Sent]>> = {
    "in its prompt": [named("prompt")],
    "in a list of prompts": [named("prompt[]")],
    "in a numbered list": [named("prompt[0]")],
    "in a named list": [named("prompt[a]")],
    "in what not to draw": [named("negative_prompt")],
    "in what to do": [named("instructions")],
    "in a name of capitals": [named("Prompt")],
    "in a name with a blank before it": [named(" prompt")],
    "in a name with a blank behind it": [named("prompt ")],
    "in an escaped name": [named("%70rompt")],
    "in a name of single quotes": [MODEL + IMAGE + part(`${CD}name='prompt'`, "EVIL") + END],
    "in the name of a charset": [
      MODEL + IMAGE + part(`${CD}name="_charset_"`, "utf-7") + named("prompt", "+AEUAVgBJAEw-").slice((MODEL + IMAGE).length),
    ],
    "before the form": [`${CD}name="prompt"\r\n\r\nEVIL\r\n${named("prompt", "ok")}`],
    "behind the form": [named("prompt", "ok") + part(`${CD}name="prompt"`, "EVIL") + END],
    "in UTF-16": [typed("text/plain; charset=utf-16le", "EVIL")],
    "in UTF-7": [typed("text/plain; charset=utf-7", "+AEUAVgBJAEw-")],
    "in UTF-7, as the whole form is": [named("prompt", "+AEUAVgBJAEw-"), { type: `multipart/form-data; charset=utf-7; boundary=${B}` }],
    "in Latin-1": [typed("text/plain; charset=iso-8859-1", "EVIL\u00e9")],
    "in JSON with escapes": [typed("application/json", '"\\u0045VIL"')],
    "in a variation": [named("prompt"), { path: "/v1/images/variations" }],
    "in the names of speakers": [
      part(`${CD}name="model"`, "m") +
        part(`${CD}name="file"; filename="a"`, "x") +
        part(`${CD}name="known_speaker_names[]"`, "EVIL") +
        END,
      { path: "/v1/audio/transcriptions" },
    ],
  };
  test.each(Object.keys(hidden))("%s", async (where) => {
    api.upstream.answer(jsonAnswer({ created: 1, data: [] }));
    const [form, more] = hidden[where] ?? [""];
    const { status, text, reached } = await send(form, { headers: denying(api.replayed, "input", "EVIL"), ...more });
    expect({ text, reached, refused: status === 446 || status === 400 }).toEqual({ text, reached: false, refused: true });
  });
  test("one without it goes on, as ordinary clients write it", async () => {
    const forms: readonly (readonly [string | Buffer, string?])[] = [
      [named("prompt", "a hat")],
      [`\r\n${named("prompt", "a hat")}\r\n`],
      [typed("text/plain; charset=UTF-8", "a hat")],
      [typed("text/plain; charset=ISO-8859-1", "a hat")],
      [typed("application/json", '"a hat"')],
      [named("prompt", "a hat"), `multipart/form-data; charset="utf-8"; boundary=${B}`],
      [MODEL + IMAGE.repeat(2).replaceAll('"image"', '"image[]"') + part(`${CD}name="timestamp_granularities[]"`, "word") + END],
    ];
    for (const [form, type = TYPE] of forms) {
      api.upstream.answer(jsonAnswer({ created: 1, data: [] }));
      const { status, text, reached } = await send(form, { headers: denying(api.replayed, "input", "EVIL"), type });
      expect({ status, text, reached }).toMatchObject({ status: 200, reached: true });
    }
  });
});
