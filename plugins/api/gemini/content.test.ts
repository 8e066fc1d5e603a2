/** What guardrails read of this form, and what they may change in it. */
import { expect, test } from "bun:test";
import type { Json } from "#contract";
import { patched } from "../../../core/pipeline/guard/patch.ts";
import { COUNTED, EMBEDDED, GENERATED } from "./content.ts";

const read = (body: Json) => (GENERATED.input?.(body) ?? []).map(({ path, role, kind, text }) => [path, role, kind, text]);
const saying = (role: string, ...parts: readonly Json[]): Json => ({ contents: [{ role, parts }] });
const returned = (response: unknown, more: Json = {}): Json => saying("user", { functionResponse: { name: "f", response, ...more } });
const PART = "contents[0].parts[0]";

test("a thought of the user's is a text", () => {
  expect(read(saying("user", { text: "EVIL", thought: true }))).toEqual([[`${PART}.text`, "user", "text", "EVIL"]]);
});
test("what a function returns is read, whatever it is", () => {
  expect(read(returned("EVIL"))).toEqual([[`${PART}.functionResponse.response`, "tool", "tool_result", "EVIL"]]);
  expect(read(returned(["EVIL"]))).toEqual([[`${PART}.functionResponse.response`, "tool", "tool_result", '["EVIL"]']]);
  expect(read(returned({ output: 5 }))).toEqual([[`${PART}.functionResponse.response.output`, "tool", "tool_result", "5"]]);
});
test("the name of a function is read where the model is told it beside an image", () => {
  const image = { inlineData: { mimeType: "image/png", data: "AA" } };
  expect(read(returned({}, { name: "EVIL", parts: [image] }))).toEqual([
    [`${PART}.functionResponse.name`, "tool", "tool_result", "EVIL"],
    [`${PART}.functionResponse.parts[0].inlineData.data`, "tool", "image", "data:image/png;base64,AA"],
  ]);
});
test("members of a kind of tomorrow are read beside a text as well", () => {
  expect(read(saying("user", { text: "ok", x_tomorrow: { words: ["EVIL"] } }))).toEqual([
    [`${PART}.text`, "user", "text", "ok"],
    [`${PART}.x_tomorrow.words[0]`, "user", "text", "EVIL"],
  ]);
  expect(read(saying("user", { functionResponse: "EVIL" }))).toEqual([[`${PART}.functionResponse`, "user", "text", "EVIL"]]);
});
test.each<[Json, string]>([
  [{ tools: [{ functionDeclarations: [{ name: "f", description: "EVIL" }] }] }, "tools[0].functionDeclarations[0].description"],
  [{ generationConfig: { responseSchema: { description: "EVIL" } } }, "generationConfig.responseSchema.description"],
  [{ generation_config: { response_json_schema: { description: "EVIL" } } }, "generation_config.response_json_schema.description"],
  [{ generationConfig: { _responseJsonSchema: { description: "EVIL" } } }, "generationConfig._responseJsonSchema.description"],
])("what a model is told beside the contents stands before all of them: %j", (told, path) => {
  const pieces = GENERATED.input?.({ ...saying("user", { text: "Hi" }), ...told }) ?? [];
  expect(pieces.find(({ text }) => text === "EVIL")).toMatchObject({ path, role: "system", kind: "text", message: -1 });
  const counted = COUNTED.input?.({ generateContentRequest: told }) ?? [];
  expect(counted.find(({ text }) => text === "EVIL")?.path).toBe(`generateContentRequest.${path}`);
});
test("the title of a content to embed is read", () => {
  expect(EMBEDDED.input?.({ title: "EVIL", content: { parts: [] } })).toMatchObject([{ path: "title", role: "user", text: "EVIL" }]);
});
test.each(["a.b", "c[0]", "", 'd"e'])("a result by the name %j can be changed", (name) => {
  const body = returned({ [name]: "secret" });
  const [{ path = "" } = {}] = GENERATED.input?.(body) ?? [];
  expect(JSON.stringify(patched(body, [{ path, text: "***" }], GENERATED))).not.toContain("secret");
});
test("a result with a name of its own is no call", () => {
  const body = returned({ found: { name: "x", words: "secret" } });
  const patch = { path: `${PART}.functionResponse.response.found`, text: '{"name":"x","words":"***"}' };
  expect(patched(body, [patch], GENERATED)).toEqual(returned({ found: { name: "x", words: "***" } }));
});

const SIGNED = { text: "secret", thought: true, thoughtSignature: "c2ln" };
const CALL = { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "Y2FsbA==" };
test("a thought that was changed loses its signature, however it was changed; a call keeps its own", () => {
  const body = saying("model", SIGNED, { text: "hm", thought: true, thought_signature: "b3Ro" }, CALL);
  const changed = saying("model", { text: "***", thought: true }, { text: "hm", thought: true, thought_signature: "b3Ro" }, CALL);
  expect(patched(body, [{ path: `${PART}.text`, text: "***" }], GENERATED)).toEqual(changed);
  const given = JSON.parse(JSON.stringify(body).replace("secret", "***")) as Json;
  expect(patched(body, [{ body: given }], GENERATED)).toEqual(changed);
  expect(patched({ generateContentRequest: body }, [{ body: { generateContentRequest: given } }], COUNTED)).toEqual({
    generateContentRequest: changed,
  });
});
test("what a text rests on is read before it, and is no part of the text under test", () => {
  const web = { uri: "https://x.example/secret", title: "The secret" };
  for (const name of ["groundingMetadata", "grounding_metadata"]) {
    const body = {
      candidates: [{ content: { parts: [{ text: "x" }] }, [name]: { groundingChunks: [{ web }], webSearchQueries: ["a secret"] } }],
    };
    const found = GENERATED.output?.(body) ?? [];
    expect(found.map(({ text, beside }) => [text, beside])).toEqual([
      [web.uri, true],
      [web.title, true],
      ["a secret", true],
      ["x", undefined],
    ]);
    const patches = found.map(({ path, text }) => ({ path, text: text.replaceAll("secret", "***") }));
    expect(JSON.stringify(patched(body, patches.slice(0, -1), GENERATED))).not.toContain("secret");
  }
});
test("what repeats the old text of an answer goes with it", () => {
  const candidate = {
    content: { parts: [{ text: "secret" }], role: "model" },
    logprobsResult: { chosenCandidates: [{ token: "secret", logProbability: 0 }] },
    groundingMetadata: { groundingSupports: [{ segment: { text: "secret" } }] },
    citationMetadata: {},
  };
  const patch = { path: "candidates[0].content.parts[0].text", text: "***" };
  expect(patched({ candidates: [candidate] }, [patch], GENERATED)).toEqual({
    candidates: [{ content: { parts: [{ text: "***" }], role: "model" } }],
  });
});
test("the members that are read are known by their names", () => {
  for (const name of ["contents", "parts", "text", "role", "tools", "system_instruction", "inline_data", "function_response"])
    expect({ name, known: GENERATED.names?.has(name) }).toEqual({ name, known: true });
  for (const { names = new Set<string>() } of [GENERATED, COUNTED])
    expect([...names].filter((name) => name !== name.toLowerCase())).toEqual([]);
});
