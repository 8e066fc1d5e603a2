/** How the walk asks, and what it looks at in answers. */
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { expect } from "bun:test";
import { bodyOf, itemsOf, type Json } from "../../endpoints/api.ts";
import type { Answer } from "../../process.ts";
import { errorOf } from "../api.ts";
import { type Family, inner } from "./family.ts";
import type { World } from "./world.ts";

export type Case = (family: Family, world: World) => Promise<void>;

/** What is not as the sheet writes it; nothing when all is. */
export function expectShape(schema: TSchema, answer: Answer, what: unknown): void {
  const body = bodyOf(answer);
  const wrong = [...Value.Errors(schema, body)].slice(0, 3).map(({ path, message, value }) => ({ path, message, value }));
  expect({ what, wrong }).toEqual({ what, wrong: [] });
}
/** Refused with AB01 (the data plane has words of its own), and the member named. */
export function expectInvalid(answer: Answer, member: string, what: unknown, expected = "AB01"): void {
  const { status, code, param } = errorOf(answer);
  const isNamed = String(param) === member || /^[.[]/.test(String(param).replace(member, ""));
  expect({ what, status, code, names: isNamed ? member : param }).toEqual({ what, status: 400, code: expected, names: member });
}
export const absence = ({ read: { absent } }: Family): Json => ({ status: absent, code: absent === 403 ? "AB03" : "AB08", param: null });
export const pathOf = ({ path, create }: Family, world: World): string => world.at(path) + (create?.below ?? "");
export const one = ({ path }: Family, world: World, id: string): string => `${world.at(path)}/${encodeURIComponent(id)}`;
export const shown = async (family: Family, world: World, id: string): Promise<Json> =>
  inner(bodyOf(await world.ask(family, "GET", one(family, world, id))));
export const together = <T>(all: readonly T[], each: (one: T) => Promise<unknown>): Promise<unknown> => Promise.all(all.map(each));

/** Something of another type. */
const otherwise = (value: unknown): unknown => (typeof value === "string" ? 7 : "text");
export const wrongValues = (legal: Json, beyond: Readonly<Record<string, readonly unknown[]>> = {}): (readonly [string, unknown])[] => [
  ...Object.entries(legal).map(([member, value]) => [member, otherwise(value)] as const),
  ...Object.entries(beyond).flatMap(([member, values]) => values.map((value) => [member, value] as const)),
  ["surprise", 1],
];
/** All of a list, by as many as fit on a page. */
export async function allPages(family: Family, world: World, query = "", size?: number): Promise<readonly Json[]> {
  const { pages } = family.list;
  const limit = size ?? pages.most;
  const found: Json[] = [];
  for (let page = 0; ; page++) {
    const path = `${world.at(family.path)}?${query}${pages.size}=${limit}&${pages.page}=${page}`;
    const items = itemsOf(await world.ask(family, "GET", path));
    expect(items.length).toBeLessThanOrEqual(limit);
    found.push(...items);
    if (items.length < limit) return found;
  }
}
