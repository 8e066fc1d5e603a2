/** Making, changing and deleting one of each resource. */
import { expect } from "bun:test";
import { at, bodyOf, type Json, NOBODY } from "../../endpoints/api.ts";
import { errorOf } from "../api.ts";
import { absence, allPages, type Case, expectInvalid, expectShape, one, pathOf, shown, together, wrongValues } from "./asking.ts";
import { made } from "./families.ts";
import { NOTHING } from "./shapes.ts";
import type { World } from "./world.ts";

export const create: Case = async (family, world) => {
  const { create: rule } = family;
  if (!rule) return;
  const n = world.next();
  const [least, whole] = [rule.body(world, n), { ...rule.body(world, world.next()), ...rule.more(world, n) }];
  for (const body of [least, whole]) expectShape(rule.shape, await world.ask(family, "POST", pathOf(family, world), body), body);
};
export const missing: Case = async (family, world) => {
  const { body, required = [] } = { ...family.create };
  await together(required, async (member) => {
    const { [member]: _, ...rest } = body?.(world, world.next()) ?? {};
    expectInvalid(await world.ask(family, "POST", pathOf(family, world), rest), member, { without: member });
  });
};
export const wrongToMake: Case = async (family, world) => {
  const { create: rule } = family;
  if (!rule) return;
  const n = world.next();
  const legal = { ...rule.body(world, n), ...rule.more(world, n) };
  await together(wrongValues(legal, rule.beyond), async ([member, value]) => {
    const body = { ...rule.body(world, world.next()), [member]: value };
    expectInvalid(await world.ask(family, "POST", pathOf(family, world), body), member, { [member]: value });
  });
};
export const taken: Case = async (family, world) => {
  const { unique } = { ...family.create };
  if (unique === undefined) return;
  const { [unique]: value } = await shown(family, world, (await made(family, world)).id);
  const body = { ...family.create?.body(world, world.next()), [unique]: value };
  expect(errorOf(await world.ask(family, "POST", pathOf(family, world), body))).toEqual({ status: 409, code: "AB07", param: unique });
};
export const places: Case = async (family, world) => {
  if (!family.create) return;
  const asked = (place: Json) =>
    world.ask(family, "POST", pathOf(family, world), { ...family.create?.body(world, world.next()), ...place });
  const { organisationId, workspace, foreign } = world;
  const own = [
    { organisation_id: organisationId },
    ...(family.by === "workspace" ? [{ workspace_id: workspace.id }, { workspace_id: workspace.slug }] : []),
  ];
  for (const place of own) bodyOf(await asked(place));
  const others = [
    ["organisation_id", foreign.organisationId],
    ["organisation_id", NOBODY],
    ...(family.by === "workspace" ? [["workspace_id", foreign.workspaceId] as const, ["workspace_id", NOBODY] as const] : []),
  ] as const;
  for (const [param, value] of others) expect(errorOf(await asked({ [param]: value }))).toEqual({ status: 403, code: "AB03", param });
};

/** The texts of a body and how long each may be, as the API document says. */
function bounds(world: World, path: string, method: string): (readonly [member: string, most: number])[] {
  const schema = at(world.document, "paths", path, method, "requestBody", "content", "application/json", "schema", "properties") ?? {};
  return Object.entries(schema as Json).flatMap(([member, value]) => {
    const text = [value, ...((at(value, "anyOf") ?? []) as readonly unknown[])].find((one) => at(one, "type") === "string");
    const most = at(text, "maxLength");
    return typeof most === "number" && at(text, "format") === undefined && at(text, "const") === undefined ? [[member, most] as const] : [];
  });
}
/** The document says the two kinds of keys one by one, each with scopes of its own. */
export const scopesAt = ({ document }: World, method: string, path: string): unknown => {
  const paths = path.includes("{sub-type}") ? ["service", "user"].map((kind) => path.replace("{sub-type}", kind)) : [path];
  return [...new Set(paths.flatMap((one) => (at(document, "paths", one, method.toLowerCase(), "x-scopes") as string[] | undefined) ?? []))];
};
export const lengths: Case = async (family, world) => {
  const { create: rule, path, param } = family;
  const except = ["workspace_id", "organisation_id", ...(rule?.named ?? [])];
  const ofNew = bounds(world, path + (rule?.below ?? ""), "post").filter(([member]) => !except.includes(member));
  const ofChanged = bounds(world, `${path}/{${param}}`, "put").filter(([member]) => !except.includes(member));
  const least = () => ({ ...rule?.body(world, world.next()) });
  await together(rule ? ofNew : [], async ([member, most]) => {
    const asked = (length: number) => world.ask(family, "POST", pathOf(family, world), { ...least(), [member]: "a".repeat(length) });
    bodyOf(await asked(most));
    expectInvalid(await asked(most + 1), member, { [member]: most + 1 });
  });
  const { id } = await made(family, world);
  for (const [member, most] of family.update ? ofChanged : []) {
    const asked = (length: number) => world.ask(family, "PUT", one(family, world, id), { [member]: "a".repeat(length) });
    bodyOf(await asked(most));
    expectInvalid(await asked(most + 1), member, { [member]: most + 1 });
  }
};

/** What any update may change beside what it names. */
const MOVES = ["last_updated_at", "version_id", "updated_by", "status"];
export const update: Case = async (family, world) => {
  const { update: rule } = family;
  if (!rule) return;
  const { id } = await made(family, world);
  for (const [sent, after = sent] of rule.changes(world)) {
    const before = await shown(family, world, id);
    expectShape(rule.shape, await world.ask(family, "PUT", one(family, world, id), sent), sent);
    const now = await shown(family, world, id);
    expect({ sent, now }).toMatchObject({ sent, now: after });
    const touched = new Set([...MOVES, ...Object.keys(sent), ...Object.keys(after), "scopes", "masked_key"]);
    const rest = (record: Json) => Object.fromEntries(Object.entries(record).filter(([name]) => !touched.has(name)));
    expect({ sent, rest: rest(now) }).toEqual({ sent, rest: rest(before) });
  }
};
export const wrongToChange: Case = async (family, world) => {
  const { update: rule } = family;
  if (!rule) return;
  const { id } = await made(family, world);
  const legal = Object.assign(
    {},
    ...rule
      .changes(world)
      .map(([sent]) => sent)
      .reverse(),
  ) as Json;
  const fixed = Object.entries(rule.fixed ?? {}).map(([member, value]) => [member, value] as const);
  const before = await shown(family, world, id);
  await together([...wrongValues(legal, rule.beyond), ...fixed], async ([member, value]) => {
    expectInvalid(await world.ask(family, "PUT", one(family, world, id), { [member]: value }), member, { [member]: value });
  });
  expect(await shown(family, world, id)).toEqual(before);
};
/** A body may say again what the path says, in the words of either. */
export const repeatedPath: Case = async (family, world) => {
  if (!family.update) return;
  const { id } = await made(family, world);
  const [[sent]] = family.update.changes(world) as readonly [readonly [Json]];
  const snake = family.param.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  for (const name of new Set([family.param, snake])) {
    bodyOf(await world.ask(family, "PUT", one(family, world, id), { ...sent, [name]: id }));
    const other = await world.ask(family, "PUT", one(family, world, id), { ...sent, [name]: NOBODY });
    expect<Json>({ name, ...errorOf(other) }).toEqual({ name, status: 400, code: "AB01", param: name });
  }
};

export const remove: Case = async (family, world) => {
  if (family.remove === undefined) return;
  const { id } = await made(family, world);
  const path = one(family, world, id);
  expectShape(NOTHING, await world.ask(family, "DELETE", path), family.noun);
  if (family.remove === "stays") return void expect((await world.ask(family, "DELETE", path)).status).toBe(409);
  const methods = ["GET", "DELETE", ...(family.update ? ["PUT"] : [])];
  for (const method of methods) {
    const answer = await world.ask(family, method, path, method === "PUT" ? {} : undefined);
    expect<Json>({ method, ...errorOf(answer) }).toEqual({ method, ...absence(family) });
  }
  expect((await allPages(family, world)).filter((item) => item["id"] === id)).toEqual([]);
};
