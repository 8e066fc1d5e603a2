import { describe, expect, test } from "bun:test";
import type { Json } from "#contract";
import { GEMINI, named, sent } from "./own-wires.ts";

const fn = (name: string, more: Json = {}): Json => ({ type: "function", function: { name, ...more } });

describe.each(named(GEMINI))("%s", (_name, wire) => {
  const schemaOf = (schema: Json): unknown => {
    const { generationConfig } = sent(wire, { response_format: { type: "json_schema", json_schema: { name: "a", schema } } });
    return (generationConfig as Json).responseSchema;
  };

  test("speaks with the voice that was asked for", () =>
    expect(sent(wire, { modalities: ["audio"], audio: { voice: "Kore", format: "pcm16" } }).generationConfig).toEqual({
      responseModalities: ["AUDIO"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
    }));
  test("tells the chosen tokens alone when no others are asked for", () =>
    expect(sent(wire, { logprobs: true, top_logprobs: 0 }).generationConfig).toEqual({ responseLogprobs: true }));
  test("searches the web with its own tool", () => expect(sent(wire, { web_search_options: {} }).tools).toEqual([{ googleSearch: {} }]));
  test.each([
    ["gemini-2.5-flash", "auto", { mode: "VALIDATED" }],
    ["gemini-3-pro-preview", undefined, { mode: "VALIDATED" }],
    ["gemini-2.5-flash", "required", { mode: "ANY" }],
    ["gemini-2.5-flash", "none", { mode: "NONE" }],
    ["gemini-2.0-flash", "auto", { mode: "AUTO" }],
  ])("keeps calls of a strict tool to its schema where it can: %s, %s", (model, tool_choice, functionCallingConfig) =>
    expect(sent(wire, { model, tools: [fn("a", { strict: true }), fn("b")], tool_choice }).toolConfig).toEqual({ functionCallingConfig }),
  );
  test.each([
    [
      { type: "integer", enum: [3, 1, 2] },
      { type: "integer", minimum: 1, maximum: 3, description: "One of 3, 1, 2." },
    ],
    [
      { type: "number", enum: [0.5], description: "Share." },
      { type: "number", minimum: 0.5, maximum: 0.5, description: "Share. One of 0.5." },
    ],
    [{ enum: [1, 2, null] }, { type: "integer", minimum: 1, maximum: 2, description: "One of 1, 2.", nullable: true }],
    [
      { type: ["integer", "null"], enum: [7, null] },
      { type: "integer", minimum: 7, maximum: 7, description: "One of 7.", nullable: true },
    ],
    [{ const: 4 }, { type: "integer", minimum: 4, maximum: 4, description: "One of 4." }],
    [{ const: true }, { type: "boolean", description: "One of true." }],
    [
      { type: "string", enum: ["1", "2"] },
      { type: "string", enum: ["1", "2"] },
    ],
    [
      { enum: ["a", 1] },
      {
        anyOf: [
          { type: "string", enum: ["a"] },
          { type: "integer", minimum: 1, maximum: 1, description: "One of 1." },
        ],
      },
    ],
  ])("answers with values of the kind that was asked for: %j", (asked, told) => expect(schemaOf(asked)).toEqual(told));
  test.each([
    ["gemini-2.5-flash", { thinkingBudget: 24_576 }],
    ["gemini-3-flash-preview", { thinkingLevel: "high" }],
  ])("takes the highest effort at its highest: %s", (model, thinkingConfig) =>
    expect(sent(wire, { model, reasoning_effort: "max" }).generationConfig).toEqual({ thinkingConfig }),
  );
});
