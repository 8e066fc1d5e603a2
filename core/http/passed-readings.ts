import {
  type Body,
  type MountedOperation,
  PASSING,
  PASSING_PREFIX,
  type PassedBy,
  type Passing,
  type RequestHeaders,
  type MaybePromise,
} from "#contract";
import type { Generation, MountedRoute } from "../kernel/generation.ts";
import type { Held } from "../kernel/process/memory-budget.ts";
import { type BodyReading, bodyOf, passingBody } from "./body.ts";
import { bodyCheck } from "./first-fault.ts";
import { NO_PARAMS, type Params } from "./mount.ts";
import { PathTable, twoWays } from "./passed-path.ts";
import type { HttpSettings } from "./settings.ts";

/** How a request that passes is read. */
export interface PassedReading {
  readonly row: MountedOperation;
  readonly params: Params;
  body(request: Request, headers: RequestHeaders, held: Held): MaybePromise<Body>;
}
/** The reading of a method and path; `null` for a path that no two servers are sure to read alike. */
export type Readings = (by: PassedBy, method: string, steps: readonly string[] | null) => PassedReading;

/** One for each operation whose path another vendor's server would have at the same place, and one for all else. */
export function readingsOf(passing: Passing, operations: Generation["operations"], limits: HttpSettings): Readings {
  const table = new PathTable<Readonly<Record<PassedBy, Omit<PassedReading, "params">>>>();
  for (const route of operations.values())
    if (route.row.prefix === undefined)
      table.add(
        route.row.method,
        route.row.path,
        twice((by) => ofOperation(route, by, limits, passing)),
        route.row.slashes,
      );
  const others = new Map<string, PassedReading>();
  return (by, method, steps) => {
    if (steps === null) return { ...ofOthers(passing, by, method, limits), body: refused };
    const found = table.find(method, steps);
    if (found) return { ...found.value[by], params: found.params };
    const key = `${by} ${method}`;
    const known = others.get(key) ?? ofOthers(passing, by, method, limits);
    others.set(key, known);
    return known;
  };
}
const twice = <T>(make: (by: PassedBy) => T): Readonly<Record<PassedBy, T>> => ({ prefix: make("prefix"), unmounted: make("unmounted") });
const refused = (): never => {
  throw twoWays();
};
const placed = (by: PassedBy): Pick<MountedOperation, "passes" | "prefix"> => ({
  passes: by,
  ...(by === "prefix" && { prefix: PASSING_PREFIX }),
});

function ofOperation(
  { row: mounted, body, json }: MountedRoute,
  by: PassedBy,
  limits: HttpSettings,
  passing: Passing,
): Omit<PassedReading, "params"> {
  const row = { ...mounted, ...ownedAnywhere(mounted, passing), ...placed(by) };
  const schema = row.body === "json" ? body : json;
  const how: BodyReading = {
    kind: row.body,
    orJson: json !== undefined,
    optional: row.bodyOptional === true,
    limits,
    accept: schema && bodyCheck(schema),
    marksUnfit: true,
  };
  return { row, body: (request, headers, held) => bodyOf(request, headers, how, held) };
}

/** Another vendor's body may name ids elsewhere than the operation says, and its lists may have their things elsewhere. */
function ownedAnywhere({ owned, method }: MountedOperation, passing: Passing): Pick<MountedOperation, "owned"> {
  const unfit = passing.owned?.(method);
  const listsIn = owned?.lists === true ? passing.owned?.("GET").listsIn : undefined;
  return unfit ? { owned: { ...owned, unfit, ...(listsIn && { listsIn }) } } : {};
}

/** What nobody mounts: its body may be anything. */
function ofOthers({ content, scope, owned }: Passing, by: PassedBy, method: string, limits: HttpSettings): PassedReading {
  const ids = owned?.(method);
  const row: MountedOperation = {
    ...{ id: PASSING, method: "POST", path: "/*", tag: "Pass-through", summary: "Pass through", body: "none" },
    ...{ scope, content, ...(ids && { owned: ids }), ...placed(by) },
  };
  const how: BodyReading = { kind: "json", limits };
  return { row, params: NO_PARAMS, body: (request, headers, held) => passingBody(request, headers, how, held) };
}
