import { describe, expect, test } from "bun:test";
import type { Json } from "#contract";
import { patched } from "../../../core/pipeline/guard/patch.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { MCP_CALL } from "./mcp.ts";

const CALL: Json = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "send", arguments: { to: "jo@a.example", text: "hi" } } };
const resultWith = (result: Json): Json => ({ jsonrpc: "2.0", id: 1, result });
const said = (segments: ReturnType<NonNullable<typeof MCP_CALL.input>> | undefined) =>
  (segments ?? []).map(({ path, kind, text }) => [path, kind, text]);

describe("a call of a tool over MCP", () => {
  test(verifies("G.engine.mcp", "says its arguments, as JSON"), () => {
    expect(said(MCP_CALL.input?.(CALL))).toEqual([["params.arguments", "text", '{"to":"jo@a.example","text":"hi"}']]);
  });
  test("is changed by a patch of them", () => {
    const text = JSON.stringify({ to: "[removed]", text: "hi" });
    expect(patched(CALL, [{ path: "params.arguments", text }], MCP_CALL)).toEqual({
      ...CALL,
      params: { name: "send", arguments: { to: "[removed]", text: "hi" } },
    });
  });
  test.each<[string, Json]>([
    ["another method", { ...CALL, method: "tools/list" }],
    ["no arguments", { ...CALL, params: { name: "send" } }],
    ["arguments that are no object", { ...CALL, params: { arguments: "x" } }],
    ["no parameters", { method: "tools/call" }],
    ["a result", resultWith({ content: [] })],
  ])("with %s says nothing", (_, message) => expect(MCP_CALL.input?.(message)).toEqual([]));
});

describe("what a tool returns over MCP", () => {
  test(verifies("G.engine.mcp", "is its texts, what it embeds, and its structure"), () => {
    const content = [
      { type: "text", text: "one" },
      { type: "image", data: "aa", mimeType: "image/png" },
      { type: "audio", data: "bb", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a", text: "two" } },
      { type: "resource", resource: { uri: "file:///b", blob: "cc" } },
      { type: "resource_link", uri: "https://a.example", description: "three" },
      "odd",
    ];
    expect(said(MCP_CALL.output?.(resultWith({ content, structuredContent: { four: 4 } })))).toEqual([
      ["result.content[0].text", "text", "one"],
      ["result.content[1].data", "image", "data:image/png;base64,aa"],
      ["result.content[2].data", "audio", "data:audio/wav;base64,bb"],
      ["result.content[3].resource.text", "text", "two"],
      ["result.content[4].resource.blob", "file", "data:application/octet-stream;base64,cc"],
      ["result.content[5].description", "text", "three"],
      ["result.content[5].uri", "file", "https://a.example"],
      ["result.structuredContent", "text", '{"four":4}'],
    ]);
  });
  test("is changed by patches, in each of its places", () => {
    const before = resultWith({ content: [{ type: "text", text: "jo@a.example" }], structuredContent: { mail: "jo@a.example" } });
    const patches = [
      { path: "result.content[0].text", text: "[removed]" },
      { path: "result.structuredContent", text: '{"mail":"[removed]"}' },
    ];
    expect(JSON.stringify(patched(before, patches, MCP_CALL))).not.toContain("jo@a.example");
  });
  test.each<[string, Json]>([
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } }],
    ["no content", resultWith({})],
    ["content that is no list", resultWith({ content: { text: "x" } })],
  ])("with %s says nothing", (_, message) => expect(MCP_CALL.output?.(message)).toEqual([]));
});
