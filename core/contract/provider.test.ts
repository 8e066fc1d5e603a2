import { expect, expectTypeOf, test } from "bun:test";
import { defineAdapter, type Frame, type StreamEvent } from "#contract";

/* The type of a stream's state: `toEqualTypeOf` is judged by `npm run types`, and refuses `any`, implicit or not. */

const text = (said: string): readonly StreamEvent[] => [{ type: "text", text: said }];
const frame = (data: string): Frame => ({ event: "", data });

test("the state of an adapter's stream has the type that its start gives, without being named", () => {
  const { stream } = defineAdapter({
    request: (body, ask) => ({ ...body, model: ask.target.model }),
    stream: {
      start: () => ({ seen: 0 }),
      event(frame, state) {
        expectTypeOf(state).toEqualTypeOf<{ seen: number }>();
        return text(`${(state.seen += 1)}${frame.data}`);
      },
      ends: (frame, state) => {
        expectTypeOf(state).toEqualTypeOf<{ seen: number }>();
        return state.seen > 1 && frame.data === "end";
      },
    },
  });
  const state = stream?.start();
  expect(stream?.event(frame("a"), state)).toEqual(text("1a"));
  expect(stream?.ends?.(frame("end"), state)).toBe(false);
  expect(stream?.event(frame("b"), state)).toEqual(text("2b"));
  expect(stream?.ends?.(frame("end"), state)).toBe(true);
});

test("it has it also where start stands last, and where it looks at whether the stream is judged", () => {
  const { stream: last } = defineAdapter({
    stream: {
      event: (frame, state) => {
        expectTypeOf(state).toEqualTypeOf<string[]>();
        return text(`${state.push(frame.data)}`);
      },
      start: (): string[] => [],
    },
  });
  const { stream: judging } = defineAdapter({
    stream: {
      start: (judged) => ({ judged: judged === true }),
      event: (frame, state) => {
        expectTypeOf(state).toEqualTypeOf<{ judged: boolean }>();
        return text(`${frame.data} ${state.judged}`);
      },
    },
  });
  expect(last?.event(frame("a"), last.start())).toEqual(text("1"));
  expect(judging?.event(frame("a"), judging.start(true))).toEqual(text("a true"));
});

test("a type that is named is the one that start must give", () => {
  const { stream } = defineAdapter<{ open: boolean }>({
    stream: {
      // @ts-expect-error -- a state without the member that the type names
      start: () => ({}),
      event: (_, state) => {
        expectTypeOf(state).toEqualTypeOf<{ open: boolean }>();
        return text(String(state.open));
      },
    },
  });
  expect(stream?.event(frame(""), stream.start())).toEqual(text("undefined"));
});
