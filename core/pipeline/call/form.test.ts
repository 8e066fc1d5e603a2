/** What is read of a multipart form: its text fields, as the provider reads them, or a refusal that says why. */
import { describe, expect, test } from "bun:test";
import type { Body } from "#contract";
import { MemoryBudget } from "../../kernel/process/memory-budget.ts";
import { withFields } from "../guard/form.ts";
import { readForm } from "./form.ts";

type FormRead = Extract<Body, { kind: "form-read" }>;
const read = (form: string | Uint8Array<ArrayBuffer>, contentType = "multipart/form-data; boundary=x"): Promise<FormRead> => {
  const stream = new Response(form).body as ReadableStream<Uint8Array>; // it has one
  return readForm({ kind: "form", contentType, stream }, new MemoryBudget(1e9).hold());
};
const fieldsOf = async (form: string, contentType?: string): Promise<unknown> => (await read(form, contentType)).fields;
const DISPOSITION = "Content-Disposition: form-data; ";
const part = (said: string, value: string): string => `--x\r\n${DISPOSITION}${said}\r\n\r\n${value}\r\n`;
const A = part('name="a"', "1");
const END = "--x--\r\n";

describe("the fields of a form", () => {
  test.each<[string, string, object]>([
    ["one field", A + END, { a: "1" }],
    ["no field", END, {}],
    ["no line end behind the last boundary", `${A}--x--`, { a: "1" }],
    ["words before and behind it", `before\r\n${A}${END}behind\r\n--x`, { a: "1" }],
    ["an empty value", part('name="a"', "") + END, { a: "" }],
    [
      "line ends, and what only looks like a boundary",
      part('name="a"', "1--x\r\n-x\r\n--\r\n\r\n") + END,
      { a: "1--x\r\n-x\r\n--\r\n\r\n" },
    ],
    ["a name without quotes", part("name=a", "1") + END, { a: "1" }],
    ["a name of any letters", part('name="é漢[]"', "漢") + END, { "é漢[]": "漢" }],
    ["a name that holds another", part('filename*=x; name="b; name=a"', "1") + END, { "b; name=a": "1" }],
    ["other heads, in any case", A.replace("Content-D", "content-type: text/plain\r\nCONTENT-D") + END, { a: "1" }],
    ["a padded boundary", A.replace("--x", "--x \t") + END, { a: "1" }],
    ["a file", part('name="a"; filename="a.png"', "1") + part('name="b"; filename=""', "1") + END, {}],
    ["a name twice", A + part('name="a"', "2") + END, { a: "2" }],
    ["a name that objects have", part('name="__proto__"', "1") + END, JSON.parse('{"__proto__":"1"}') as object],
  ])("of %s", async (_, form, fields) => expect(await fieldsOf(form)).toEqual(fields));
  test.each(['multipart/form-data; boundary="x"', "Multipart/Form-Data; charset=utf-8; Boundary=x"])("of %s", async (contentType) =>
    expect(await fieldsOf(A + END, contentType)).toEqual({ a: "1" }),
  );
  test.each(["漢", "a漢", "😀", "\r\n--", "\u0001", "é"])("come whole, where they are long: %j", async (letters) => {
    const text = `-${letters.repeat(400_000)}`;
    expect(await fieldsOf(part('name="a"', text) + part('name="b"', "2") + END)).toEqual({ a: text, b: "2" });
  });
});

describe("refused is a form", () => {
  test.each<[string, string, string]>([
    ["without an end", A, "its last boundary is missing"],
    ["without anything", "", "its last boundary is missing"],
    ["with line feeds alone", (A + END).replaceAll("\r\n", "\n"), "a line begins like its boundary, and is none"],
    ["with a line that begins like its boundary", part('name="a"', "1\r\n--xy") + END, "a line begins like its boundary, and is none"],
    ["whose part has no head", `--x\r\n\r\n1\r\n${END}`, "does not say in one Content-Disposition what it is"],
    ["whose part says twice what it is", A.replace("\r\n\r\n", `\r\n${DISPOSITION}name=b\r\n\r\n`) + END, "in one Content-Disposition"],
    ["whose part has no name", part('filename="a"', "1") + END, "a part has no name"],
    ["whose part has two", part('name="a"; name="b"', "1") + END, "a part says twice what its name is"],
    ["whose part has a name without an end", part('name="a', "1") + END, "the Content-Disposition of a part is not well-formed"],
    ["whose part has no value", `--x\r\n${DISPOSITION}name=a\r\n${A}${END}`, "a part has no value"],
    ["whose part has a head without an end", `--x\r\n${DISPOSITION}name=a; ${"y".repeat(20_000)}`, "has no end within 16384 bytes"],
  ])("%s", async (_, form, why) => {
    await expect(read(form)).rejects.toThrow("The multipart form cannot be read: ");
    await expect(read(form)).rejects.toThrow(why);
  });
  test("without a boundary", () => expect(read(A + END, "multipart/form-data")).rejects.toThrow("its content type names no boundary"));
  test("with a text that takes longer than a text of JSON may", async () => {
    const form = new Uint8Array(Buffer.from(`${part('name="a"', `${"a".repeat(17 * 1024 * 1024)}漢`)}${END}`));
    await expect(read(form)).rejects.toThrow("characters of one text that is not all Latin-1");
  });
});

describe("a form with new texts", () => {
  const FILE = part('name="image"; filename="a.png"', "\u0001\r\n--y");
  const back = async (form: FormRead): Promise<(readonly [string, string])[]> => {
    const data = await new Response(new Blob([form.bytes as Uint8Array<ArrayBuffer>]), {
      // bytes read from a request are never shared memory
      headers: { "content-type": form.contentType },
    }).formData();
    return Promise.all([...data].map(async ([name, value]) => [name, typeof value === "string" ? value : await value.text()] as const));
  };
  test("has them in the place of the old ones, and all the rest as it was", async () => {
    const form = await read(A + FILE + part('name="b"', "2") + part('name="a"', "3") + END);
    const changed = await withFields(form, { a: "new\r\n--x", b: "2", 'c"': "added" });
    expect(await back(changed)).toEqual([
      ["a", "new\r\n--x"],
      ["image", "\u0001\r\n--y"],
      ["b", "2"],
      ["c%22", "added"],
    ]);
    expect(changed.fields).toEqual({ a: "new\r\n--x", b: "2", 'c"': "added" });
  });
  test("that are long has them whole", async () => {
    const text = "a漢😀".repeat(100_000);
    expect(await back(await withFields(await read(A + FILE + END), { a: text }))).toEqual([
      ["a", text],
      ["image", "\u0001\r\n--y"],
    ]);
  });
});
