import { GatewayError } from "#contract";
import { whollyDecoded } from "../pipeline/owned/decoded.ts";

/*
 * Paths that pass to a provider. What is authorised is what its server must read in them: a step that another reader
 * could take for two, for none or for a step up is refused, and operations are found in every spelling of their path.
 */

/** The steps of a path, decoded; a slash at its end makes no further one. `null` for one that may be read in two ways. */
export function stepsOf(path: string): readonly string[] | null {
  const steps = path.split("/").slice(1);
  if (steps.at(-1) === "") steps.pop();
  const read = steps.map(decodedStep);
  return read.every((step) => step !== null) ? read : null;
}

function decodedStep(step: string): string | null {
  const read = whollyDecoded(step);
  return read === undefined || read === "" || read === "." || read === ".." || UNSAFE.test(read) ? null : read;
}
/** Separators of some servers' paths, what ends a text, and what is left of an encoding. */
const UNSAFE = /[/\\;?#\u0000-\u001f\u007f]|%[0-9a-f]{2}/i;

export const twoWays = (): GatewayError =>
  new GatewayError("REQUEST_INVALID", {
    what: "A path that passes to a provider may hold no empty step, no step of dots, and no slash, backslash, semicolon, ? or # in a step, encoded or not: servers read such paths in different ways.",
  });

/** Finds what is mounted at a path, whichever letters of its fixed steps are large. */
export class PathTable<T> {
  private readonly rows: {
    readonly method: string | null;
    readonly steps: readonly string[];
    readonly slashes: boolean;
    readonly value: T;
  }[] = [];

  /** `:name` marks a parameter; a method that is null stands for any. With `slashes` the last parameter is what is left of the path. */
  add(method: string | null, path: string, value: T, slashes = false): void {
    this.rows.push({ method, steps: path.split("/").slice(1), slashes, value });
  }
  find(
    method: string | null,
    steps: readonly string[],
  ): { readonly value: T; readonly params: Readonly<Record<string, string>> } | undefined {
    let found: (typeof this.rows)[number] | undefined;
    for (const row of this.rows)
      if ((row.method === null || row.method === method) && fits(row, steps) && !(found && fixed(found.steps) >= fixed(row.steps)))
        found = row;
    return found && { value: found.value, params: paramsOf(found, steps) };
  }
}
const isParameter = (step: string): boolean => step.startsWith(":");
const fixed = (steps: readonly string[]): number => steps.filter((step) => !isParameter(step)).length;
interface Shape {
  readonly steps: readonly string[];
  readonly slashes: boolean;
}
const fits = (row: Shape, steps: readonly string[]): boolean =>
  (row.slashes ? row.steps.length <= steps.length : row.steps.length === steps.length) &&
  row.steps.every((step, at) => isParameter(step) || step.toLowerCase() === steps[at]?.toLowerCase());
const paramsOf = ({ steps: pattern, slashes }: Shape, steps: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pattern.flatMap((step, at) => {
      const isRest = slashes && at === pattern.length - 1;
      return isParameter(step) ? [[step.slice(1), isRest ? steps.slice(at).join("/") : (steps[at] ?? "")]] : [];
    }),
  );
