import { expect, test } from "bun:test";
import { verifies } from "../../tests/requirements/verifies.ts";
import { InnerPlaces } from "./inner-places.ts";

const codeOf = (take: () => unknown): unknown => {
  try {
    return take() && "taken";
  } catch (thrown) {
    return (thrown as { code: string }).code; // places refuse with errors of the gateway's own
  }
};

const before = (judged: number, request = judged) => ({ judged, request });

test(verifies("G.inner.bounds", "of a request, of a workspace and of all are given back, and no more are taken than there are"), () => {
  const places = new InnerPlaces();
  const taken = Array.from({ length: 64 }, () => places.take("one", "x", before(0)));
  expect(codeOf(() => places.take("one", "x", before(0)))).toBe("INNER_BUSY");
  taken.pop()?.();
  expect(codeOf(() => places.take("one", "x", before(31)))).toBe("taken");
  expect(codeOf(() => places.take("two", "x", before(32)))).toBe("INNER_BUSY");
  for (let i = 0; i < 192; i += 1) places.take(`tenant ${i % 4}`, "x", before(0));
  expect(codeOf(() => places.take("last", "x", before(0)))).toBe("INNER_BUSY");
  for (const leave of taken) leave();
  expect(codeOf(() => places.take("last", "x", before(0)))).toBe("taken");
});

test(verifies("G.inner.bounds", "are 32 for each line of a file, and 10,000 for all of them"), () => {
  const places = new InnerPlaces();
  expect(codeOf(() => places.take("one", "x", before(0, 9_999)))).toBe("taken");
  expect(codeOf(() => places.take("one", "x", before(0, 10_000)))).toBe("INNER_BUSY");
});
