/** What is asked of each operation that is no part of a resource's usual five. */
import { expect } from "bun:test";
import { at, NOBODY } from "../../endpoints/api.ts";
import { errorOf } from "../api.ts";
import { expectInvalid, expectShape } from "./asking.ts";
import type { Single } from "./singles.ts";
import type { World } from "./world.ts";

export type SingleCase = (single: Single, world: World) => Promise<void>;

const methodOf = ({ operation }: Single): string => operation.slice(0, operation.indexOf(" "));
const keyOf = ({ by }: Single, { keys }: World): string => (by === "anybody" ? "" : keys[by]);
const together = <T>(all: readonly T[], each: (one: T) => Promise<unknown>): Promise<unknown> => Promise.all(all.map(each));

export const answers: SingleCase = async (single, world) => {
  const { path, body } = await single.legal(world);
  expectShape(single.shape, await world.plane.as(keyOf(single, world), methodOf(single), path, body), single.operation);
};
export const wrong: SingleCase = async (single, world) => {
  const legal = await single.legal(world);
  const asked = (path: string, body = legal.body) => world.plane.as(keyOf(single, world), methodOf(single), path, body);
  const code = isControl(single) ? "AB01" : "request_invalid";
  await together(single.wrong?.(legal, world) ?? [], async ([body, param]) =>
    expectInvalid(await asked(legal.path, body), param, body, code),
  );
  await together(single.wrongQueries ?? [], async ([query, param]) => {
    const sign = legal.path.includes("?") ? "&" : "?";
    expectInvalid(await asked(withQuery(legal.path, query, sign)), param, query, code);
  });
  for (const [body, param] of single.elsewhere?.(legal, world) ?? []) {
    const { status, code, param: told } = errorOf(await asked(legal.path, body));
    expect({ body, status, code, names: String(told).startsWith(param) }).toEqual({ body, status: 403, code: "AB03", names: true });
  }
};
/** The same member twice would be a test of something else. */
function withQuery(path: string, query: string, sign: string): string {
  const [name = ""] = query.split("=");
  const [bare = "", before = ""] = path.split("?");
  const rest = before.split("&").filter((pair) => pair !== "" && !pair.startsWith(`${name}=`));
  return sign === "?" ? `${path}?${query}` : `${bare}?${[...rest, query].join("&")}`;
}
/** The data plane says the same in its own code. */
const isControl = ({ operation }: Single): boolean => !operation.includes(" /v1/");
export const closed: SingleCase = async (single, world) => {
  if (single.by === "anybody") return;
  const { path, body } = await single.legal(world);
  const asked = async (key: string) => errorOf(await world.plane.as(key, methodOf(single), path, body));
  for (const key of ["", "nobodys-key"])
    expect(await asked(key)).toMatchObject({ status: 401, ...(isControl(single) && { code: "AB05" }) });
  expect(await asked(world.keys.narrow)).toMatchObject({ status: 403, ...(isControl(single) && { code: "AB03" }) });
  if (methodOf(single) === "GET" || !isControl(single)) return;
  expect(await asked(world.keys.member)).toMatchObject({ status: 403, code: "AB03" });
};
/** Another organisation's admin is told what is told of what never was. */
export const foreign: SingleCase = async (single, world) => {
  const { path, body } = await single.legal(world);
  const [id] = [...path.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)].map(([found]) => found);
  if (id === undefined || path.includes("?")) return;
  const told = async (name: string) => {
    const { status, text } = await world.plane.as(world.keys.stranger, methodOf(single), path.replace(id, name), body);
    return { status, text: text.replaceAll(name, "…") };
  };
  expect(await told(id)).toEqual(await told(NOBODY));
  expect([403, 404]).toContain((await told(id)).status);
};
export const olderBase: SingleCase = async (single, world) => {
  const { path, body } = await single.legal(world);
  const older = path.replace(/^(\/admin)?\/v2\//, "/v1/");
  expectShape(single.shape, await world.plane.as(keyOf(single, world), methodOf(single), older, body), older);
};

/** What answers, or stands in the API document, is there. */
export async function isThere(operation: string, single: Single | undefined, world: World): Promise<boolean> {
  const [method = "", path = ""] = operation.split(" ");
  if (at(world.document, "paths", path, method.toLowerCase()) !== undefined) return true;
  const probe = path.replace(/\{\w+\}/g, NOBODY);
  const { status, text } = await world.plane.as(
    single ? keyOf(single, world) : world.keys.workspace,
    method,
    probe,
    method === "GET" ? undefined : {},
  );
  return !(status === 404 && text.includes("There is no route"));
}
