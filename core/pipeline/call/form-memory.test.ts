/** A form that is read into memory takes of the budget as it arrives. */
import { expect, test } from "bun:test";
import { MemoryBudget } from "../../kernel/process/memory-budget.ts";
import { readForm } from "./form.ts";

const KB = 1024;
const formOf = (text: string) => {
  const stream = new Response(`--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n${text}\r\n--x--\r\n`)
    .body as ReadableStream<Uint8Array>;
  return { kind: "form", contentType: "multipart/form-data; boundary=x", stream } as const;
};

test("a small form takes little, and is read where large work fills the budget", async () => {
  const budget = new MemoryBudget(16 * KB * KB);
  for (const tenant of ["a", "b"]) Object.assign(budget.hold(), { tenant }).take(8 * KB * KB);
  const held = Object.assign(budget.hold(), { tenant: "c" });
  expect((await readForm(formOf("one"), held)).fields).toEqual({ a: "one" });
  expect(held.bytes).toBeLessThanOrEqual(64 * KB);
});
test("a large one takes what it costs", async () => {
  const held = new MemoryBudget(100 * KB * KB).hold();
  await readForm(formOf("x".repeat(3 * KB * KB)), held);
  expect(held.bytes).toBeGreaterThanOrEqual(12 * KB * KB);
  expect(held.bytes).toBeLessThanOrEqual(20 * KB * KB);
});
test("a form of many megabytes is joined as fast as memory is copied", async () => {
  const held = new MemoryBudget(1000 * KB * KB).hold();
  const form = formOf("x".repeat(20 * KB * KB));
  const before = process.cpuUsage(); // others may be using the machine
  await readForm(form, held);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(500);
});
test("a form of very many parts is refused before it is taken apart", async () => {
  const held = new MemoryBudget(1000 * KB * KB).hold();
  const part = 'y\r\n--x\r\ncontent-disposition: form-data; name="a[]"\r\n\r\n';
  expect((await readForm(formOf(part.repeat(900)), held)).kind).toBe("form-read");
  await expect(readForm(formOf(part.repeat(100_000)), held)).rejects.toThrow("more than 1000 parts");
  const quoted = { ...formOf(part.repeat(100_000)), contentType: 'Multipart/Form-Data; charset=utf-8; Boundary="x"' };
  await expect(readForm(quoted, held)).rejects.toThrow("more than 1000 parts");
});
