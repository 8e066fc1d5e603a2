/** Listing and reading each resource, and who may not. */
import { expect } from "bun:test";
import { bodyOf, type Json, NOBODY } from "../../endpoints/api.ts";
import { errorOf } from "../api.ts";
import { absence, allPages, type Case, expectInvalid, expectShape, one, pathOf, shown, together } from "./asking.ts";
import { made } from "./families.ts";
import { type Family, inner, type Pages } from "./family.ts";
import { pageOf } from "./shapes.ts";
import type { World } from "./world.ts";

export const list: Case = async (family, world) => {
  const { envelope, item, filters, beyond = {} } = family.list;
  const n = world.next();
  const { id } = await made(family, world, family.create?.more(world, n));
  const record = await shown(family, world, id);
  const whole = await allPages(family, world);
  expect(whole.some((found) => isIt(found, record))).toBe(true);
  expectShape(pageOf(envelope, item), await world.ask(family, "GET", world.at(family.path)), family.noun);
  for (const [query, isThere] of filters(record, world)) {
    const found = await allPages(family, world, `${query.replaceAll(" ", "%20")}&`);
    expect([query, found.some((other) => isIt(other, record))]).toEqual([query, isThere]);
  }
  await namesOrganisation(family, world);
  const { size, page, least, most } = family.list.pages;
  const wrong = [
    ...Object.entries(beyond).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
    ...[least - 1, most + 1, "x", "1.5", ""].map((value) => [size, value] as const),
    ...[-1, "x", "0.5"].map((value) => [page, value] as const),
    ["surprise", "1"] as const,
  ];
  await together(wrong, async ([name, value]) => {
    expectInvalid(await world.ask(family, "GET", `${world.at(family.path)}?${name}=${value}`), name, { [name]: value });
  });
};
/** Lists take the caller's own organisation, as older clients name it, and no other. */
async function namesOrganisation(family: Family, world: World): Promise<void> {
  if (family.path.includes("{")) return;
  const asked = (id: string) => world.ask(family, "GET", `${world.at(family.path)}?organisation_id=${id}`);
  bodyOf(await asked(world.organisationId));
  for (const id of [world.foreign.organisationId, NOBODY])
    expect(errorOf(await asked(id))).toEqual({ status: 403, code: "AB03", param: "organisation_id" });
}
const isIt = (found: Json, { id, slug, user_id }: Json): boolean =>
  [found["id"], found["slug"], found["user_id"]].some(
    (name) => name !== undefined && name !== null && [id ?? slug, slug, user_id].includes(name),
  );

export const paging: Case = async (family, world) => {
  for (let n = 0; n < 3; n++) await made(family, world);
  const nameOf = (item: Json): unknown => item["id"] ?? item["slug"] ?? item["name"];
  const whole = (await allPages(family, world)).map(nameOf);
  expect(whole.length).toBeGreaterThanOrEqual(3);
  const size = Math.ceil(whole.length / 3);
  expect((await allPages(family, world, "", size)).map(nameOf)).toEqual(whole);
  const sized = (pages: Pages, size: number, page: number) => `${world.at(family.path)}?${pages.size}=${size}&${pages.page}=${page}`;
  const beyond = bodyOf(await world.ask(family, "GET", sized(family.list.pages, size, 9_999)));
  expect(beyond["data"]).toEqual([]);
  if (family.list.envelope !== "success") expect(beyond["total"]).toBe(whole.length);
  const { least, most } = family.list.pages;
  for (const taken of [least, most]) bodyOf(await world.ask(family, "GET", sized(family.list.pages, taken, 0)));
};
/** Names that nothing has, some of which a database would choke on. */
const NO_NAMES = [NOBODY, "no-such-slug", "a".repeat(300), "%00", "\u0000", "'", "..", "{}"];
export const read: Case = async (family, world) => {
  const { id } = await made(family, world);
  const answer = await world.ask(family, "GET", one(family, world, id));
  expectShape(family.read.shape, answer, family.noun);
  const { slug } = inner(answer.json);
  if (family.read.slug) expect(await shown(family, world, String(slug))).toEqual(inner(answer.json));
  for (const name of NO_NAMES.slice(0, 6))
    expect<Json>({ name, ...errorOf(await world.ask(family, "GET", one(family, world, name))) }).toEqual({ name, ...absence(family) });
};

/** Every operation of the family, on a record that is there. */
async function operations(family: Family, world: World) {
  const { id } = await made(family, world);
  const [all, single] = [world.at(family.path), one(family, world, id)];
  return [
    { method: "GET", path: all, writes: false },
    { method: "GET", path: single, writes: false },
    ...(family.create ? [{ method: "POST", path: pathOf(family, world), writes: true }] : []),
    ...(family.update ? [{ method: "PUT", path: single, writes: true }] : []),
    ...(family.remove ? [{ method: "DELETE", path: single, writes: true }] : []),
  ];
}
const emptyFor = (method: string): Json | undefined => (method === "POST" || method === "PUT" ? {} : undefined);
export const closed: Case = async (family, world) => {
  const { plane, keys } = world;
  const asked = async (key: string, method: string, path: string) => errorOf(await plane.as(key, method, path, emptyFor(method)));
  await together(await operations(family, world), async ({ method, path, writes }) => {
    const unknown = family.unknownIsPlain ? { code: undefined, param: undefined } : { code: "AB05", param: null };
    for (const key of ["", "nobodys-key"]) expect(await asked(key, method, path)).toEqual({ status: 401, ...unknown });
    const refusal = { method, path, status: 403, code: "AB03" };
    expect({ method, path, ...(await asked(keys.narrow, method, path)) }).toMatchObject(refusal);
    if (writes) expect({ method, path, ...(await asked(keys.member, method, path)) }).toMatchObject(refusal);
  });
};
/** Another organisation's admin is told of it what is told of one that never was. */
export const foreign: Case = async (family, world) => {
  const { id } = await made(family, world);
  const { plane, keys } = world;
  const base = family.path.replace("{workspaceId}", "default"); // there is one of this name in either organisation
  const told = async (method: string, name: string) => {
    const { status, text } = await plane.as(keys.stranger, method, `${base}/${name}`, emptyFor(method));
    return { method, status, text: text.replaceAll(name, "…") };
  };
  const methods = ["GET", ...(family.update ? ["PUT"] : []), ...(family.remove ? ["DELETE"] : [])];
  for (const method of methods) {
    expect(await told(method, id)).toEqual(await told(method, NOBODY));
    expect((await told(method, id)).status).toBe(family.read.absent);
  }
  expect((await plane.as(keys.stranger, "GET", base)).text).not.toContain(id);
  await shown(family, world, id);
};
/** Older clients have one base: where the data plane has nothing of the name, the same is there. */
export const olderBase: Case = async (family, world) => {
  const { id } = await made(family, world);
  const older = (path: string): string => path.replace(/^(\/admin)?\/v2\//, "/v1/");
  const [all, single] = [world.at(family.path), one(family, world, id)];
  const isShadowed = family.section === "3.5"; // the control plane's guardrails have that path
  if (isShadowed) return;
  for (const path of [all, single])
    expect(bodyOf(await world.ask(family, "GET", older(path)))).toEqual(bodyOf(await world.ask(family, "GET", path)));
  const [[sent] = []] = family.update?.changes(world) ?? [];
  if (family.create) bodyOf(await world.ask(family, "POST", older(pathOf(family, world)), family.create.body(world, world.next())));
  if (sent) bodyOf(await world.ask(family, "PUT", older(single), sent));
  if (family.remove) bodyOf(await world.ask(family, "DELETE", older(single)));
};
