import { after, type Body, DATA_PREFIX, GatewayError, PASSING_PREFIX, type PassedBy, type Passing, type MaybePromise } from "#contract";
import type { Generation } from "../kernel/generation.ts";
import { judgedCallerKey, type KeyHeaders } from "../kernel/secrets/caller-key.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import { choosesNobody } from "../pipeline/plan/targets.ts";
import { handle } from "../pipeline/pipeline.ts";
import { refused } from "../pipeline/settle/settle.ts";
import { timedId } from "../platform.ts";
import { HeaderMap } from "./header-map.ts";
import type { ReadHeaders } from "./headers.ts";
import { beginning, judgedCall, NO_CONTROL, type RequestStart } from "./operation-mount.ts";
import { PathTable, stepsOf } from "./passed-path.ts";
import { readingsOf, type Readings } from "./passed-readings.ts";
import type { UrlParts } from "./request-path.ts";
import type { HttpSettings } from "./settings.ts";

/** Answers what is its to answer; `undefined` where a request asks for a route that there is not. */
export type PassingRun = (request: Request, at: UrlParts) => Response | Promise<Response> | undefined;

interface PassingParts {
  readonly read: ReadHeaders;
  readonly settings: HttpSettings;
  /** Is there something at this path, whatever its method? */
  readonly isMounted: (pathname: string) => boolean;
}

/**
 * What is asked below `/v1/proxy`, and below `/v1` where nobody mounts anything. A path of an operation, however it is
 * spelt, is read as that operation says. Paths of the control plane pass below the prefix alone: old clients ask for them
 * below `/v1`, and what they send is no provider's to see.
 */
export function passingMount(passing: Passing, gw: Gateway, { read, settings, isMounted }: PassingParts): PassingRun {
  const readings = readingsOf(passing, gw.gen.operations, settings);
  const controls = controlPaths(gw.gen);
  return (request, at) => {
    const by = passedBy(at.pathname);
    if (by === undefined) return undefined;
    const steps = stepsOf(at.pathname.slice(PREFIXES[by].length));
    if (by === "prefix") return passed(request, at, { gw, read, settings, reading: readings(by, request.method, steps) });
    if (steps === null || controls.has(steps) || isNobodys(request, read, gw.gen.keyHeaders, isMounted(at.pathname))) return undefined;
    return passed(request, at, { gw, read, settings, reading: readings(by, request.method, steps) });
  };
}
const PREFIXES: Readonly<Record<PassedBy, string>> = { prefix: PASSING_PREFIX, unmounted: DATA_PREFIX };

function passedBy(pathname: string): PassedBy | undefined {
  if (pathname === PASSING_PREFIX || pathname.startsWith(`${PASSING_PREFIX}/`)) return "prefix";
  return pathname.startsWith(`${DATA_PREFIX}/`) ? "unmounted" : undefined;
}

interface ControlPaths {
  has(steps: readonly string[]): boolean;
}
/** Paths of the control and admin planes, and whatever begins as they do and as nothing of the data plane does: misspelt, it is no provider's either. */
function controlPaths({ routes, operations }: Generation): ControlPaths {
  const table = new PathTable<true>();
  const own = routes.filter(({ plane }) => plane !== "data");
  for (const { path } of own) table.add(null, path, true);
  const data = new Set([...operations.values()].map(({ row }) => firstStep(row.path)));
  const first = new Set([...own.map(({ path }) => firstStep(path)), "admin", "v2"].filter((step) => !data.has(step)));
  return { has: (steps) => first.has(steps[0]?.toLowerCase() ?? "") || table.find(null, steps) !== undefined };
}
const firstStep = (path: string): string => path.split("/")[1] ?? "";

/** Names nobody to ask: of a path that is mounted its methods are told, and somebody who is not known is told of no other route. */
function isNobodys(request: Request, read: ReadHeaders, keyHeaders: KeyHeaders, isMounted: boolean): boolean {
  try {
    const headers = new HeaderMap(request.headers);
    const control = read(headers);
    return choosesNobody(control) && (isMounted || judgedCallerKey(headers, control.apiKey, keyHeaders) === "");
  } catch {
    return false; // what is wrong with them is told below
  }
}

interface Passage {
  readonly gw: Gateway;
  readonly read: ReadHeaders;
  readonly settings: HttpSettings;
  readonly reading: ReturnType<Readings>;
}
function passed(request: Request, at: UrlParts, { gw, read, settings, reading }: Passage): Promise<Response> | Response {
  const leave = gw.gen.enter();
  const held = gw.memory.hold();
  const startedAt = settings.now();
  const { row, params } = reading;
  const start: RequestStart = { request, headers: new HeaderMap(request.headers), at, row, params, startedAt, id: timedId(startedAt) };
  try {
    const call = judgedCall(start, read, settings);
    const readBody = (): MaybePromise<Body> => after(reading.body(request, start.headers, held), withShortModel);
    return handle({ call, leave, held, read: readBody }, gw, settings.pluginLimits);
  } catch (thrown) {
    return refused(thrown, { call: beginning(start, NO_CONTROL), caller: null, plan: null, leave, held }, gw);
  }
}

/** Mounted operations say how long it may be in their schemas. */
const MOST_MODEL = 512;
/** The body, unless it names a model that is longer than any: it would be looked for, compared and told of. */
function withShortModel(body: Body): Body {
  const model = body.kind === "json" ? body.value["model"] : undefined;
  if (typeof model !== "string" || model.length <= MOST_MODEL) return body;
  throw new GatewayError("REQUEST_INVALID", { what: `The model's name has more than ${MOST_MODEL} characters.` }, { param: "model" });
}
