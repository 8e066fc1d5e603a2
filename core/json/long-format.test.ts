import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { slowness } from "#kit";
import { acceptor, firstProblem } from "./shape.ts";

const Address = Type.String({ format: "email", maxLength: 320 });
test.each([`x@${"b.".repeat(480_000)}`, `${"1.".repeat(480_000)}`, `x@${"b.b-".repeat(240_000)}`])(
  "an address of a megabyte is refused at once",
  (address) => {
    const startedAt = performance.now();
    expect([acceptor(Address)(address), firstProblem(Address, address)?.path]).toEqual([false, expect.any(String)]);
    expect(performance.now() - startedAt).toBeLessThan(20 * slowness());
  },
);
