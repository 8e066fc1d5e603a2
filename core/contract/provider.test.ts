import { expect, test } from "bun:test";
import { defineAdapter, type StreamEvent } from "#contract";

test("the state of an adapter's stream has the type that its start gives, without being named", () => {
  const { stream } = defineAdapter({
    stream: {
      start: () => ({ seen: 0 }),
      event(frame, state): readonly StreamEvent[] {
        const count: number = (state.seen += 1); // the compiler refuses a state of another type
        return [{ type: "text", text: `${count}${frame.data}` }];
      },
      ends: (frame, state) => state.seen > 1 && frame.data === "end",
    },
  });
  const state = stream?.start();
  expect(stream?.event({ event: "", data: "a" }, state)).toEqual([{ type: "text", text: "1a" }]);
  expect(stream?.ends?.({ event: "", data: "end" }, state)).toBe(false);
});
