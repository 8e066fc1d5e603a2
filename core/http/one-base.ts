import { DATA_PREFIX, PREFIX, type Route } from "#contract";
import type { Mount } from "./mount.ts";

interface MountedRoute {
  readonly route: Route;
  readonly mount: Mount;
}

/** Where two paths cannot both be: whatever their parameters are called. */
const placeOf = ({ method, path }: Pick<Mount, "method" | "path">): string => `${method} ${path.replace(/:\w+/g, ":")}`;

/**
 * Older clients have one base for all of the API: what stands below `/v2`, and then what stands below `/admin/v2`, answers
 * below `/v1` as well, unless something else does there.
 */
export function belowOneBase(routes: readonly MountedRoute[], mounts: readonly Mount[]): readonly Mount[] {
  const taken = new Set(mounts.map(placeOf));
  const found: Mount[] = [];
  for (const plane of ["control", "admin"] as const)
    for (const { mount } of routes.filter(({ route }) => route.plane === plane)) {
      const alias = { ...mount, path: DATA_PREFIX + mount.path.slice(PREFIX[plane].length) };
      if (taken.has(placeOf(alias))) continue;
      taken.add(placeOf(alias));
      found.push(alias);
    }
  return found;
}
