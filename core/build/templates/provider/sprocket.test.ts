import { join } from "node:path";
import { expect, test } from "bun:test";
import type { Manifest } from "#contract";
import { ask, streamCases, testProvider, testStream } from "#kit";
import { chat } from "./chat.ts";
import plugin from "./index.ts";
import manifest from "./manifest.json";

testProvider({ plugin, manifest: manifest as Manifest });

const cases = streamCases(join(import.meta.dirname, "fixtures"));
for (const { name, wire, events } of cases) if (chat.stream) testStream(name, chat.stream, wire, events, chat.frames);

test("a whole answer brings the events of its stream", () => {
  const target = { fields: {}, apiKey: "", customHost: null, model: "m" };
  for (const { wire, events } of cases) {
    const list = wire
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line): unknown => JSON.parse(line.slice(6)));
    expect(chat.reply?.({ events: list }, ask("chatComplete", target))).toEqual(events);
  }
});
