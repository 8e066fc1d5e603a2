/** The resources of the fact sheet, section by section, and how one of each is made. */
import { bodyOf, type Json } from "../../endpoints/api.ts";
import { type Family, inner } from "./family.ts";
import { apiKeys, guardrailsAt, policies, references } from "./guarding.ts";
import { configs, integrations, providers, virtualKeys } from "./models.ts";
import { invites, members, users, workspaces } from "./people.ts";
import type { World } from "./world.ts";

export const FAMILIES: readonly Family[] = [
  guardrailsAt("2.1", "/v2/guardrails", "workspace"),
  ...[configs, providers, apiKeys, policies, integrations, references],
  guardrailsAt("3.5", "/admin/v2/guardrails", "organisation"),
  ...[invites, users, members, workspaces, virtualKeys],
];

/** The answer that made one, and its id. */
export async function made(family: Family, world: World, more: Json = {}): Promise<{ readonly id: string; readonly answer: Json }> {
  const n = world.next();
  if (!family.create) return { id: (await family.make?.(world, n)) ?? "", answer: {} };
  const path = world.at(family.path) + (family.create.below ?? "");
  const answer = inner(bodyOf(await world.ask(family, "POST", path, { ...family.create.body(world, n), ...more })));
  return { id: String(answer["id"] ?? answer["slug"]), answer };
}
