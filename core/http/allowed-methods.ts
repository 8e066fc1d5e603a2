import type { MountedOperation } from "#contract";
import type { Mount } from "./mount.ts";
import { onceMade } from "./once-made.ts";

/** What is mounted at a path. */
export interface Mounted extends Pick<Mount, "method" | "path"> {
  /** The operation, whose clients have a form of error of their own. */
  readonly row?: MountedOperation;
}

/** A path that is served, and by what. */
export interface ServedPath {
  /** As in `Allow`, in alphabetical order. */
  readonly methods: readonly string[];
  readonly row: MountedOperation | undefined;
  /** What may be asked of it by a method behind a colon, where none of that is what stands there: `countTokens`. */
  verbs(method: string): readonly string[];
}

/** Finds what a path is served by, for who asked it with another method; undefined for a path that nothing is served at. */
export function allowedMethods(mounted: readonly Mounted[]): (pathname: string) => ServedPath | undefined {
  const patterns = onceMade(() => mounted.map((mount) => ({ ...mount, pattern: patternOf(mount) })));
  const verbs = onceMade(() => mounted.flatMap(verbOf));
  return (pathname) => {
    const found = patterns().filter(({ pattern }) => pattern.test(pathname));
    if (found.length === 0) return undefined;
    const methods = new Set(found.map(({ method }) => method));
    if (methods.has("GET")) methods.add("HEAD");
    return {
      methods: [...methods].sort(),
      row: found.find(({ row }) => row !== undefined)?.row,
      verbs: (method) => verbs().flatMap((at) => (at.method === method && at.pattern.test(pathname) ? [at.verb] : [])),
    };
  };
}

/** The verb of an operation, and whatever it may be asked of. */
function verbOf({ method, path }: Mounted): { readonly method: string; readonly verb: string; readonly pattern: RegExp }[] {
  const { stem, verb } = /^(?<stem>.*\/):\w+:(?<verb>\w+)$/.exec(path)?.groups ?? {};
  return stem === undefined || verb === undefined ? [] : [{ method, verb, pattern: new RegExp(`^${escaped(stem)}.+$`) }];
}

/** A parameter is one step of a path, unless it is the last and may hold slashes, or has a verb behind it. */
function patternOf({ path, row }: Mounted): RegExp {
  const steps = path.split("/").map((step, at, all) => stepPattern(step, row?.slashes === true && at === all.length - 1));
  return new RegExp(`^${steps.join("/")}$`);
}
function stepPattern(step: string, isRest: boolean): string {
  if (step === "*") return ".*";
  const { verb, param } = /^:(?<param>\w+)(?<verb>:\w+)?$/.exec(step)?.groups ?? {};
  if (param === undefined) return escaped(step);
  if (verb !== undefined) return `.+${verb}`;
  return isRest ? ".+" : "[^/]+";
}
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
