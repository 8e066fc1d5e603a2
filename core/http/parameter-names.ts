import type { Mount, Params } from "./mount.ts";

/**
 * The router wants one name for all parameters at the same place of paths of a method, whatever each path calls its own
 * (`/keys/:sub-type` and `/keys/:id/rotate`): the first one's. Each mount is still told its own.
 */
export function withRoutersNames(mounts: readonly Mount[]): readonly Mount[] {
  const names = new Map<string, string>();
  return mounts.map((mount) => renamed(mount, names));
}

const PARAMETER = /^:(.+)$/;
function renamed(mount: Mount, names: Map<string, string>): Mount {
  const own: [router: string, own: string][] = [];
  let place = mount.method;
  const segments = mount.path.split("/").map((segment) => {
    const name = PARAMETER.exec(segment)?.[1];
    place += `/${name === undefined ? segment : ":"}`;
    if (name === undefined) return segment;
    const first = names.get(place) ?? name;
    names.set(place, first);
    own.push([first, name]);
    return `:${first}`;
  });
  if (own.every(([router, name]) => router === name)) return mount;
  const asNamed = (params: Params): Params => Object.fromEntries(own.map(([router, name]) => [name, params[router] ?? ""]));
  const { run } = mount;
  return { ...mount, path: segments.join("/"), run: (request, at, params, server) => run(request, at, asNamed(params), server) };
}
