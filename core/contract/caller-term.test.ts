import { expect, test } from "bun:test";
import { callerTerm } from "./caller-term.ts";

test("a caller is held to what was said of it, term by term, and else to what holds by default", () => {
  const tier = callerTerm<"free" | "gold">("acme.tier", "free");
  const seats = callerTerm("acme.seats", 1);
  const terms = { ...tier.saying("gold") };
  expect([tier.of({ terms }), seats.of({ terms }), tier.of({})]).toEqual(["gold", 1, "free"]);
});
test("a plugin with a copy of the contract reads what another says by the same name", () => {
  expect(
    callerTerm<readonly string[]>("acme.rooms", []).of({ terms: callerTerm<readonly string[]>("acme.rooms", []).saying(["a"]) }),
  ).toEqual(["a"]);
});
