import { expect, test } from "bun:test";
import { connectMemory } from "../../storage/memory/index.ts";
import { emptyData } from "../../storage/memory/data.ts";
import { testStorage } from "../kit/storage.ts";
import { logRow } from "../kit/storage/logs.ts";
import { handleOf } from "../kit/storage/subject.ts";

testStorage(
  "memory",
  () => {
    const data = emptyData();
    return { connect: () => connectMemory(data, { log: () => undefined, now: Date.now }), destroy: async () => undefined };
  },
  { supports: ["records", "logs", "blobs", "counters", "kv", "feed"], inMemory: true },
);

test("logs keep every character, NUL and halves of characters included", async () => {
  const text = "a\0b \ud83d c \ude00";
  const row = logRow({ request: text, sent: text, response: text });
  const { provides } = connectMemory(emptyData(), { log: () => undefined, now: Date.now });
  const logs = handleOf(provides, "logs");
  await logs.write([row]);
  expect(await logs.get(row.id)).toEqual(row);
});
