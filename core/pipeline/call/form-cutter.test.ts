import { describe, expect, test } from "bun:test";
import { FormCutter, type FormPiece } from "./form-cutter.ts";

const TYPE = "multipart/form-data; boundary=b";
const part = (name: string, value: string, file = ""): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
const FORM = `${part("purpose", "batch")}${part("file", "one\r\n--not\r\ntwo", '; filename="a"')}${part("empty", "")}--b--\r\n`;

/** The form's pieces when it comes in pieces of this size. */
function cut(form: string, size: number): readonly FormPiece[] {
  const cutter = new FormCutter(TYPE);
  const bytes = Buffer.from(form);
  const pieces: FormPiece[] = [];
  for (let from = 0; from < bytes.length; from += size) pieces.push(...cutter.cut(bytes.subarray(from, from + size)));
  cutter.end();
  return pieces;
}
const valuesOf = (pieces: readonly FormPiece[]): readonly string[] => {
  const values: string[] = [];
  for (const piece of pieces) {
    if (piece.kind === "part") values.push("");
    if (piece.kind === "value") values.push(`${values.pop()}${piece.bytes.toString()}`);
  }
  return values;
};

describe("a form that is cut as it comes", () => {
  test("has the same parts, and the same bytes, however it comes", () => {
    for (let size = 1; size <= FORM.length; size += 1) {
      const pieces = cut(FORM, size);
      expect(valuesOf(pieces)).toEqual(["batch", "one\r\n--not\r\ntwo", ""]);
      expect(pieces.map((piece) => ("bytes" in piece ? piece.bytes.toString() : "")).join("")).toBe(FORM);
      expect(pieces.flatMap((piece) => (piece.kind === "part" ? [piece.head.name] : []))).toEqual(["purpose", "file", "empty"]);
    }
  });
  test.each([
    ["words before it", `words\r\n${FORM}`],
    ["words behind it", `${FORM}words`],
    ["no end", FORM.slice(0, -6)],
    ["a part without a value", `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n--b--\r\n`],
    ["a boundary that goes on", FORM.replace("--b\r\nContent", "--bb\r\nContent")],
    ["no name", FORM.replace('name="purpose"', 'other="x"')],
  ])("with %s is refused", (_, form) => {
    for (const size of [1, 7, form.length]) expect(() => cut(form, size)).toThrow("The multipart form cannot be read");
  });
});
