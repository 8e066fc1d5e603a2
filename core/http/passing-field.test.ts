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
  return field.value;
}

describe("a field of a form that passes by", () => {
  const forms: readonly (readonly [what: string, form: string, value: string | undefined])[] = [
    ["before a file", part("model", "whisper-é") + file("x".repeat(5_000)) + END, "whisper-é"],
    ["behind a file", file("x".repeat(5_000)) + part("prompt", "p") + part("model", "m") + END, "m"],
    ["twice: the last counts", part("model", "cheap") + file("x".repeat(3_000)) + part("model", "dear") + END, "dear"],
    ["not at all", file('name="model"\r\n\r\nx\r\n--b') + part("models", "m") + END, undefined],
    ["too long to be a model", part("model", "m".repeat(600)) + END, undefined],
    ["cut off", part("model", "whisper").slice(0, -2), undefined],
  ];
  test.each(forms)("%s", (_, form, value) => {
    for (const pieceBytes of [1, 7, 1023, 1024, 1025, 100_000])
      expect([pieceBytes, foundIn(form, pieceBytes)]).toEqual([pieceBytes, value]);
  });
  test("with a plain boundary, or with none", () => {
    expect(foundIn(part("model", "m") + END, 5, "multipart/form-data; boundary=b-1")).toBe("m");
    expect(foundIn(part("model", "m") + END, 5, "multipart/form-data")).toBeUndefined();
  });
});
