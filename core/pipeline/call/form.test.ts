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
/** The part says more of itself, behind what it is. */
const withHead = (line: string): string => A.replace("\r\n\r\n", `\r\n${line}\r\n\r\n`) + END;

describe("the fields of a form", () => {
  test.each<[string, string, object]>([
    ["one field", A + END, { a: "1" }],
    ["no field", END, {}],
    ["no line end behind the last boundary", `${A}--x--`, { a: "1" }],
    ["a line end before it", `\r\n${A}${END}`, { a: "1" }],
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
    ["a file", part('name="a"; filename="a.png"', "1") + END, {}],
    ["what some take for a file, and others for a text", part('name="a"; filename=""', "1") + END, { a: "1" }],
    ["a file with quotes in its name", part('name="a"; filename="a\\"b\\".png"', "1") + END, {}],
    ["a file and a text of one name", part('name="a"; filename="a.png"', "1") + A + END, { a: "1" }],
    ["a list", part('name="a[]"', "1") + part('name="b"', "x") + part('name="a[]"', "2") + END, { "a[]": "1\n2", b: "x" }],
    ["a text as it is", A.replace("\r\n\r\n", "\r\nContent-Transfer-Encoding: 8BIT \r\n\r\n") + END, { a: "1" }],
    ["a padded end", `${A}--x-- \t\r\n`, { a: "1" }],
    ["a charset that its text does not show", withHead("Content-Type: text/plain; charset=ISO-8859-1"), { a: "1" }],
    ["a text as JSON", A.replace("\r\n\r\n1", '\r\nContent-Type: application/json\r\n\r\n"1"') + END, { a: '"1"' }],
    ["a padded end without a line end", `${A}--x-- \t`, { a: "1" }],
    ["a name that objects have", part('name="__proto__"', "1") + END, JSON.parse('{"__proto__":"1"}') as object],
  ])("of %s", async (_, form, fields) => expect(await fieldsOf(form)).toEqual(fields));
  test.each([
    'multipart/form-data; boundary="x"',
    "Multipart/Form-Data; charset=utf-8; Boundary=x",
    "multipart/form-data;boundary=x;",
    "multipart/form-data; y=\"a; b='c'\"; boundary=x",
    'multipart/form-data; y=""; boundary="x"',
  ])("of %s", async (contentType) => expect(await fieldsOf(A + END, contentType)).toEqual({ a: "1" }));
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
    ["whose part has a name without an end", part('name="a', "1") + END, "the parameters of a part are not well-formed"],
    ["whose part has no value", `--x\r\n${DISPOSITION}name=a\r\n${A}${END}`, "a part has no value"],
    ["whose part has a head without an end", `--x\r\n${DISPOSITION}name=a; ${"y".repeat(20_000)}`, "has no end within 16384 bytes"],
    ["with its end in a line of more", `${A}--x--junk\r\n${part('name="b"', "2")}${END}`, "a line begins like its boundary, and is none"],
    ["with a line feed behind its end", `${A}--x--\n`, "a line begins like its boundary, and is none"],
    ["with its boundary in the words before it", `before\n--x\n\n1\r\n${A}${END}`, "words before its first boundary"],
    ["with words before it", `before\r\n${A}${END}`, "words before its first boundary"],
    ["with words behind it", `${A}${END}behind`, "words before its first boundary, or behind its last"],
    [
      "whose part has an escape in its name",
      part('name="%61"', "1") + END,
      "the name of a part has a blank or a quote at its end, or an escape",
    ],
    ["whose part has a blank before its name", part('name=" a"', "1") + END, "the name of a part has a blank or a quote at its end"],
    ["whose part has single quotes", part("name='a'", "1") + END, "the name of a part has a blank or a quote at its end"],
    ["that says its charset in a part", part('name="_charset_"', "utf-8") + END, "a part says in which charset the form is"],
    ["whose part has another charset", withHead("Content-Type: text/plain; charset=utf-7"), "a part names a charset other than UTF-8"],
    [
      "whose part has letters of another charset",
      withHead("Content-Type: text/plain; charset=latin1").replace("\r\n\r\n1", "\r\n\r\n\u00e9"),
      "letters beyond ASCII in a charset other than UTF-8",
    ],
    ["whose part says twice what its text is", withHead("Content-Type: text/plain\r\nContent-Type: text/x"), "in one Content-Type"],
    [
      "whose part is JSON with an escape",
      withHead("Content-Type: application/json").replace("\r\n\r\n1", '\r\n\r\n"\\u0031"'),
      "has an escape",
    ],
    ["with a text field twice", A + part('name="b"', "2") + part('name="a"; filename=""', "3") + END, 'it has the text field "a" twice'],
    ["whose part is encoded", withHead("Content-Transfer-Encoding: base64"), "a part is encoded (base64)"],
    [
      "whose part is encoded at last",
      withHead("content-transfer-encoding: 8bit\r\nCONTENT-TRANSFER-ENCODING : x"),
      "a part is encoded (x)",
    ],
    ["whose part goes on in its next line", withHead(" ; filename=b"), "the head of a part is not well-formed"],
    [
      "whose part has a line feed in its head",
      withHead("X: 1\nContent-Disposition: form-data; name=b"),
      "the head of a part is not well-formed",
    ],
    ["whose part has what some take for another name", part('x="\\";name=b;y="; name="a"', "1") + END, "a backslash before a quote"],
    ["whose part some take for no file", part('name="a"; x="\\"; y="; filename="z"', "1") + END, "a backslash before a quote"],
    [
      "whose part has a name in pieces",
      part('name="a"; name*0="b"', "1") + END,
      "a part says what its name is as name*0, which not all read",
    ],
    ["whose part has an escaped name", part('name="\\a"', "1") + END, "the name of a part has a backslash, which not all read alike"],
  ])("%s", async (_, form, why) => {
    await expect(read(form)).rejects.toThrow("The multipart form cannot be read: ");
    await expect(read(form)).rejects.toThrow(why);
  });
  test("without a boundary", () => expect(read(A + END, "multipart/form-data")).rejects.toThrow("its content type names no boundary"));
  test.each([
    ["that is said twice", "boundary=y; Boundary=x", "its content type says twice what its boundary is"],
    ["that is said twice, once in quotes", 'boundary="x"; boundary=x', "its content type says twice what its boundary is"],
    [
      "that some find in the words of another parameter",
      'y="; boundary=z"; boundary=x',
      "its content type says twice what its boundary is",
    ],
    ["that is escaped", 'boundary="\\x"', "its content type has a backslash, which not all read alike"],
    [
      "behind what some take for the end of a text",
      'y="\\"; boundary=z"; boundary=x',
      "its content type has a backslash, which not all read alike",
    ],
    ["that is said in pieces", "boundary=x; boundary*0=y", "its content type says what its boundary is as boundary*0, which not all read"],
    ["that ends with a blank", 'boundary="x "', "its boundary ends with a blank"],
    ["that is empty", 'boundary=""', "its content type names no boundary"],
    ["and with words in its content type", "y z; boundary=x", "the parameters of its content type are not well-formed"],
    ["and with another content type", "boundary=x, multipart/form-data; boundary=y", "its content type says twice what its boundary is"],
    ["and a charset", "boundary=x; charset=utf-16", "its content type names a charset other than UTF-8"],
    ["in quotes without an end", 'boundary="x', "the parameters of its content type are not well-formed"],
  ])("with a boundary %s", async (_, parameters, why) => {
    const refused = read(A + END, `multipart/form-data; ${parameters}`);
    await expect(refused).rejects.toMatchObject({ code: "REQUEST_INVALID", status: 400, message: expect.stringContaining(why) });
  });
  test("with a text that takes longer than a text of JSON may", async () => {
    const form = new Uint8Array(Buffer.from(`${part('name="a"', `${"a".repeat(17 * 1024 * 1024)}漢`)}${END}`));
    await expect(read(form)).rejects.toThrow("characters of one text that is not all Latin-1");
  });
  test("with a list that takes longer than a text of JSON may", async () => {
    const form = new Uint8Array(Buffer.from(`${part('name="a[]"', "a".repeat(17 * 1024 * 1024))}${part('name="a[]"', "漢")}${END}`));
    await expect(read(form)).rejects.toThrow("characters of one list of texts");
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
    const form = await read(A + FILE + part('name="b"', "2") + END);
    const changed = await withFields(form, { a: "new\r\n--x", b: "2", 'c"': "added" });
    expect(await back(changed)).toEqual([
      ["a", "new\r\n--x"],
      ["image", "\u0001\r\n--y"],
      ["b", "2"],
      ["c%22", "added"],
    ]);
    expect(changed.fields).toEqual({ a: "new\r\n--x", b: "2", 'c"': "added" });
  });
  const LIST = part('name="b[]"', "1") + A + part('name="b[]"', "2");
  test("has a list as it was, or the new text in the place of all of it", async () => {
    const form = await read(LIST + END);
    expect(await back(await withFields(form, { ...form.fields, a: "new" }))).toEqual([
      ["b[]", "1"],
      ["a", "new"],
      ["b[]", "2"],
    ]);
    expect(await back(await withFields(form, { ...form.fields, "b[]": "new" }))).toEqual([
      ["b[]", "new"],
      ["a", "1"],
    ]);
  });
  test("that are long has them whole", async () => {
    const text = "a漢😀".repeat(100_000);
    expect(await back(await withFields(await read(A + FILE + END), { a: text }))).toEqual([
      ["a", text],
      ["image", "\u0001\r\n--y"],
    ]);
  });
});
