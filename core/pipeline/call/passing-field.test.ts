import { describe, expect, test } from "bun:test";
import { PassingField } from "./passing-field.ts";

const TYPE = 'multipart/form-data; boundary="b-1"';
const part = (name: string, value: string): string => `--b-1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (bytes: string): string => `--b-1\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${bytes}\r\n`;
const END = "--b-1--\r\n";

function foundIn(form: string, pieceBytes: number, type = TYPE): string | undefined {
  const field = new PassingField("model", type);
  const bytes = new TextEncoder().encode(form);
  for (let from = 0; from < bytes.length; from += pieceBytes) field.add(bytes.subarray(from, from + pieceBytes));
  field.end();
  return field.value;
}

describe("a field of a form that passes by", () => {
  const forms: readonly (readonly [what: string, form: string, value: string | undefined])[] = [
    ["before a file", part("model", "whisper-é") + file("x".repeat(5_000)) + END, "whisper-é"],
    ["behind a file", file("x".repeat(5_000)) + part("prompt", "p") + part("model", "m") + END, "m"],
    ["twice, and the same", part("model", "m") + file("x".repeat(3_000)) + part("model", "m") + END, "m"],
    ["without quotes", part("model", "m").replace('"model"', "model") + END, "m"],
    ["in lower case", part("model", "m").toLowerCase() + END, "m"],
    ["with a type", part("model", "m").replace("\r\n\r\n", "\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n") + END, "m"],
    ["behind what only looks like a boundary", file("\r\n--b-\r\n--b\r\n-") + part("model", "m") + END, "m"],
    ["as the name of a file", part("x", "y") + file("z").replace('"file"', '"model"') + END, undefined],
    ["behind the end", part("x", "y") + END + part("model", "m") + END, undefined],
    ["behind a line end", `\r\n${part("model", "m")}${END}`, "m"],
    ["empty", part("model", "") + END, ""],
    ["not at all", file('name="model"\r\n\r\nx\r\n--b') + part("models", "m") + END, undefined],
    ["too long to be a model", part("model", "m".repeat(600)) + END, undefined],
  ];
  test.each(forms)("%s", (_, form, value) => {
    for (const pieceBytes of [1, 7, 1023, 1024, 1025, 100_000])
      expect([pieceBytes, foundIn(form, pieceBytes)]).toEqual([pieceBytes, value]);
  });
  test("with a plain boundary, or with none", () => {
    expect(foundIn(part("model", "m") + END, 5, "multipart/form-data; boundary=b-1")).toBe("m");
    expect(() => foundIn(part("model", "m") + END, 5, "multipart/form-data")).toThrow("its content type names no boundary");
  });
  const refused: readonly (readonly [what: string, form: string, why: string])[] = [
    ["twice", part("model", "cheap") + file("x".repeat(3_000)) + part("model", "dear") + END, "it says twice what its model is"],
    ["in other letters", part("model", "m") + file("x") + part("Model", "m") + END, "it has two models to some readers"],
    ["as a list", part("model[]", "m") + part("model", "m") + END, "which are model[] and model"],
    ["as a file", part("model", "m") + file("z").replace('"file"', '"model"') + END, "which are model and model, a file"],
    ["as several", part("models", "m") + part("model", "m") + END, "which are models and model"],
    ["in a form without an end", part("model", "m"), "its last boundary is missing"],
    ["in a form cut off", part("model", "whisper").slice(0, -2), "its last boundary is missing"],
    ["in a form of line feeds alone", (part("model", "m") + END).replaceAll("\r\n", "\n"), "its last boundary is missing"],
    ["behind other words", `words\r\n${part("model", "m")}${END}`, "it does not begin with its boundary"],
    [
      "in a part without a value",
      `${part("x", "y")}--b-1\r\nContent-Disposition: form-data; name="model"\r\n\r\n--b-1\r\n${END}`,
      "a part has no value",
    ],
    ["in a part whose head has no end", `--b-1\r\nx: ${"y".repeat(20_000)}`, "has no end within 16384 bytes"],
    ["behind very many others", part("x", "y").repeat(1_001) + END, "it has more than 1000 parts"],
    [
      "in a part that is not well-formed",
      part("model", "m").replace("form-data", "attachment") + END,
      "does not say in one Content-Disposition",
    ],
  ];
  test.each(refused)("is refused %s", (_, form, why) => {
    for (const pieceBytes of [1, 1024, 100_000]) expect(() => foundIn(form, pieceBytes)).toThrow(why);
  });
});
