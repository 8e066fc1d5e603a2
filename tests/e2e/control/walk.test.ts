/** Every row of the control plane's fact sheet, walked against the running server on either database. */
import { beforeAll, describe, expect, test } from "bun:test";
import { SHEET_ROWS } from "../../requirements/sheet-rows.ts";
import { verifies } from "../../requirements/verifies.ts";
import { onBoth } from "./api.ts";
import * as seen from "./walk/cases-seen.ts";
import * as written from "./walk/cases-written.ts";
import type { Case } from "./walk/asking.ts";
import { FAMILIES } from "./walk/families.ts";
import { type Family, operationsOf } from "./walk/family.ts";
import * as singleCases from "./walk/single-cases.ts";
import { SINGLES } from "./walk/singles.ts";
import { WAITING } from "./walk/waiting.ts";
import { type World, worldOf } from "./walk/world.ts";

const CASES: readonly (readonly [sentence: string, of: Case])[] = [
  [verifies("C.create", "is made of the least, and of all that the sheet names"), written.create],
  [verifies("C.required", "is not made without a required member"), written.missing],
  [
    verifies("C.wrong", "is not made of wrong types, of words that there are not, beyond bounds, or with a member that nobody knows"),
    written.wrongToMake,
  ],
  [verifies("C.conflict", "is not made where another has its name"), written.taken],
  [verifies("C.place", "is made in the caller's own place, and in nobody else's"), written.places],
  [verifies("C.lengths", "takes texts as long as documented, and no longer"), written.lengths],
  [verifies("C.list", "is listed, filtered by every parameter, and by none that there is not"), seen.list],
  [verifies("C.pages", "is listed in pages of its family's names and sizes"), seen.paging],
  [verifies("C.read", "is read, by each of its names"), seen.read],
  [verifies("C.update", "is changed in what an update names, and in nothing else"), written.update],
  [verifies("C.update-wrong", "is not changed to what it could not be made of"), written.wrongToChange],
  [verifies("C.path-repeated", "takes what the path says again in the body when both agree"), written.repeatedPath],
  [verifies("C.delete", "is gone once it is deleted"), written.remove],
  [verifies("C.closed", "is closed to who is unknown, lacks the scope, or is a member only"), seen.closed],
  [verifies("C.foreign", "of one organisation is to another as if it never was"), seen.foreign],
  [verifies("C.one-base", "is below the one base of older clients, too"), seen.olderBase],
];
const SINGLE_CASES: readonly (readonly [sentence: string, of: singleCases.SingleCase])[] = [
  [verifies("C.single", "answers in its shape"), singleCases.answers],
  ["refuses what is missing, of a wrong type, unknown or another's, and names it", singleCases.wrong],
  ["is closed to who is unknown, lacks the scope, or is a member only", singleCases.closed],
  ["is to another organisation as if there were nothing", singleCases.foreign],
  ["is below the one base of older clients, too", singleCases.olderBase],
];
const isWaiting = (operation: string): boolean => WAITING.includes(operation);
const isHere = (family: Family): boolean => !operationsOf(family).some(isWaiting);

onBoth("the control plane's sheet", (plane) => {
  let world: World;
  beforeAll(async () => {
    world = await worldOf(plane);
  }, 60_000);
  for (const family of FAMILIES.filter(isHere))
    describe(`${family.section}: a ${family.noun}`, () => {
      for (const [sentence, of] of CASES) test(sentence, () => of(family, world), 30_000);
    });
  for (const single of SINGLES.filter(({ operation }) => !isWaiting(operation)))
    describe(`${single.section}: ${single.operation}`, () => {
      for (const [sentence, of] of SINGLE_CASES) test(sentence, () => of(single, world), 30_000);
    });
  test("what the walk waits for is not there yet: take an operation off the list (walk/waiting.ts) once it is", async () => {
    const there = [];
    for (const operation of WAITING) {
      const single = SINGLES.find((one) => one.operation === operation);
      if (await singleCases.isThere(operation, single, world)) there.push(operation);
    }
    expect(there).toEqual([]);
  });
  test("what is walked is in the API document, with the scopes of the sheet", () => {
    const documented = SHEET_ROWS.filter(({ operation }) => !isWaiting(operation)).map(({ operation, scopes }) => {
      const [method = "", path = ""] = operation.split(" ");
      return [operation, written.scopesAt(world, method, path) ?? [], scopes] as const;
    });
    expect(documented.filter(([, found, scopes]) => JSON.stringify(found) !== JSON.stringify([...scopes]))).toEqual([]);
  });
});

test("every row of the sheet is walked, and nothing is walked that is no row", () => {
  const walked = [...FAMILIES.flatMap((family) => [...operationsOf(family)]), ...SINGLES.map(({ operation }) => operation)];
  const rows = SHEET_ROWS.map(({ operation }) => operation);
  expect(walked.toSorted()).toEqual(rows.toSorted());
  expect(WAITING.filter((operation) => !rows.includes(operation))).toEqual([]);
});
