import { type Mount, NO_PARAMS } from "./mount.ts";

/** `/models/:model:countTokens`: a name that may hold slashes, and behind a colon what is asked of it. */
const PATH = /^(?<stem>.*\/):(?<param>\w+):(?<verb>\w+)$/;

/** Mounts that differ in their verb alone. */
interface Named {
  readonly method: string;
  readonly stem: string;
  readonly param: string;
  readonly byVerb: Map<string, Mount["run"]>;
}

/** The router knows no verbs: what begins alike becomes one mount, which finds the one that is meant. */
export function joinedVerbs(mounts: readonly Mount[], unknown: Mount["run"]): readonly Mount[] {
  const named = new Map<string, Named>();
  const plain = mounts.filter((mount) => !takeVerb(mount, named));
  return [...plain, ...[...named.values()].map((group) => joined(group, unknown))];
}

function takeVerb({ method, path, run }: Mount, named: Map<string, Named>): boolean {
  const { stem = "", param = "", verb = "" } = PATH.exec(path)?.groups ?? {};
  if (verb === "") return false;
  const key = `${method} ${stem}`;
  const group = named.get(key) ?? { method, stem, param, byVerb: new Map() };
  named.set(key, group);
  group.byVerb.set(verb, run);
  return true;
}

const joined = ({ method, stem, param, byVerb }: Named, unknown: Mount["run"]): Mount => ({
  method,
  path: `${stem}*`,
  run(request, at, _params, server) {
    const { name, verb } = cutName(at.pathname.slice(stem.length));
    const run = name === "" ? undefined : byVerb.get(verb);
    return run ? run(request, at, { [param]: name }, server) : unknown(request, at, NO_PARAMS, server);
  },
});

/** A model's own name may hold colons: the last one counts. A verb is found as the router finds a step: as it is written. */
function cutName(rest: string): { readonly name: string; readonly verb: string } {
  const colon = rest.lastIndexOf(":");
  return { name: decoded(rest.slice(0, Math.max(colon, 0))), verb: rest.slice(colon + 1) };
}
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return ""; // no such text was ever encoded: it names nothing
  }
}
