import { type TObject, Type } from "@sinclair/typebox";
import { expect } from "bun:test";
import { type ConfigMembers, defineStrategy, type Manifest, type Members, type Policy, type Provider, type Strategy } from "#contract";
import { type ConfigRules, configRules, type TargetCaps } from "../../core/kernel/config/rules.ts";
import type { Provided } from "../../core/kernel/generation.ts";

const first = (settings: TObject): Strategy =>
  defineStrategy({
    settings,
    *try({ targets }) {
      if (targets[0]) yield targets[0];
    },
  });
const STRATEGIES: readonly (readonly [string, Strategy])[] = [
  ["single", first(Type.Object({}))],
  ["loadbalance", first(Type.Object({}))],
  ["fallback", first(Type.Object({ on_status_codes: Type.Optional(Type.Array(Type.Integer())) }))],
];

/** Rules for configs of a deployment with the usual strategies, these providers (id -> target fields) and this policy. */
export function rulesOf(targets: Readonly<Record<string, TObject>> = {}, caps?: TargetCaps, policy: Policy = {}): ConfigRules {
  const providers = Object.entries(targets).map(([id, target]) => {
    const loaded = { name: `provider/${id}`, manifest: { title: id } as Manifest, provides: { target } as unknown as Provider }; // no more is asked for
    return [id, loaded] as const;
  });
  const policies: readonly Provided<Policy>[] = [{ name: "policy/kit", manifest: { id: "kit" } as Manifest, provides: policy }];
  const parts = { checks: new Map(), policies, apis: [], caches: new Map() };
  return configRules({ ...parts, providers: new Map(providers), strategies: new Map(STRATEGIES) }, caps);
}

/** Every member of configs that a plugin claims says what it does: people read it in the document and in the reference. */
export function expectDescribed(...all: readonly (Members | undefined)[]): void {
  for (const [member, schema] of all.flatMap((members) => Object.entries(members ?? {})))
    expect([member, schema.description]).toEqual([member, expect.stringMatching(/.{10,}/)]);
}
/** Both parts of what a plugin obeys. */
export const partsOf = ({ config, strategy }: ConfigMembers = {}): readonly (Members | undefined)[] => [config, strategy];
