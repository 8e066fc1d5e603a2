import { expect, test } from "bun:test";
import {
  type Call,
  type Caller,
  type Collection,
  Integrations,
  IntegrationWorkspaces,
  type Json,
  type Leaf,
  type Plan,
  Providers,
} from "#contract";
import { ofProviders } from "./provider-limits.ts";

const limits = (value: number): Json[] => [{ type: "requests", unit: "rpm", value }];
const provider = (slug: string, rate_limits: Json[] = []): Json => ({
  id: slug,
  organisation_id: "o",
  slug,
  integration_id: "i",
  rate_limits,
});
interface World {
  readonly providers: readonly Json[];
  readonly grant?: Json;
  readonly everybody?: Json;
}
/** Warm look-ups, counted. */
function finder({ providers, grant, everybody }: World) {
  const asked: string[] = [];
  const telling =
    <T>(name: string, found: T) =>
    () => {
      asked.push(name);
      return found;
    };
  const rows = new Map<string, readonly Json[]>([
    [Providers.name, providers],
    [IntegrationWorkspaces.name, grant ? [grant] : []],
    [Integrations.name, [{ id: "i", organisation_id: "o", slug: "models", global_workspace_access: everybody ?? null }]],
  ]);
  const all = ({ name }: Pick<Collection, "name">, _: unknown, __: unknown, map: (row: Json) => unknown) => {
    const list = rows.get(name)?.map(map);
    return telling(name, list);
  };
  const one = ({ name }: Pick<Collection, "name">, _: unknown, map: (row: Json) => unknown) => {
    const [row] = rows.get(name)?.map(map) ?? [];
    return telling(name, row);
  };
  return { asked, of: ofProviders({ lookupAll: all, lookup: one } as never) }; // as many of them as are called
}
const target = (slug: string): Leaf =>
  ({ kind: "leaf", provider: `@${slug}`, overrideParams: null, defaultParams: null, dropParams: [] }) as never; // what is read of it
const plan = (...slugs: readonly string[]): Plan => ({ root: { kind: "branch", targets: slugs.map(target) }, model: "m" }) as never;
const call = { control: {}, body: { kind: "json", value: {} }, search: "" } as unknown as Call;
const caller = { workspaceId: "w" } as Caller;
const named = (found: unknown): unknown => Array.isArray(found) && found.map(({ counter, value }) => [counter, value]);

test("providers of one integration count what each may, and their grant once", () => {
  const { of } = finder({
    providers: [provider("a", limits(1)), provider("b"), provider("c", limits(3))],
    grant: { rate_limits: limits(2) },
  });
  expect(named(of(call, caller, plan("a", "b")))).toEqual([
    ["rl:o:provider:a:requests:rpm", 1],
    ["rl:o:grant:i:w:requests:rpm", 2],
  ]);
});
test("what is said of everybody counts where nothing is said of the workspace", () => {
  const everybody = { enabled: true, rate_limits: limits(9) };
  expect(named(finder({ providers: [provider("a")], everybody }).of(call, caller, plan("a")))).toEqual([
    ["rl:o:grant:i:w:requests:rpm", 9],
  ]);
  const own = finder({ providers: [provider("a")], everybody, grant: { rate_limits: null } });
  expect(named(own.of(call, caller, plan("a")))).toEqual([]);
});
test("without limits, or with one list of them, a warm request is given the same list each time", () => {
  for (const world of [{ providers: [provider("a")] }, { providers: [provider("a", limits(1))] }]) {
    const { of } = finder(world);
    expect(of(call, caller, plan("a"))).toBe(of(call, caller, plan("a")));
  }
});
test("a request that reaches no saved provider looks at no grant, and one of a workspace without any at nothing else", () => {
  const some = finder({ providers: [provider("a")] });
  some.of(call, caller, plan("nobody"));
  expect(some.asked).toEqual([Providers.name]);
  const none = finder({ providers: [] });
  none.of(call, caller, plan("a"));
  expect(none.asked).toEqual([Providers.name]);
});
