import { isJson, messageOf } from "#contract";

/** What is wrong with code that could not be read: its first fault, with file, line and column where the runtime says them. */
export function importFault(thrown: unknown): unknown {
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const unbundled = /^Cannot find (?:package|module) '([^']+)'/.exec(messageOf(first))?.[1];
  if (unbundled !== undefined)
    return new Error(`it imports ${unbundled}, which is not there. A plugin is one file: bundle what it imports (npm run build)`, {
      cause: thrown,
    });
  const place = placeOf(first);
  return place === undefined ? thrown : new Error(`${messageOf(first)} (${place})`, { cause: thrown });
}

/** `/plugins/acme/index.js:3:19` */
function placeOf(fault: unknown): string | undefined {
  const position: unknown = typeof fault === "object" && fault !== null && "position" in fault ? fault.position : undefined;
  if (!isJson(position) || typeof position["line"] !== "number") return undefined;
  return `${String(position["file"])}:${position["line"]}:${String(position["column"])}`;
}
