import {
  type Admin,
  type Api,
  isJson,
  mountedOperation,
  type OperationName,
  PREFIX,
  type ResourceHandles,
  type Route,
  type ScopeTable,
  scopesIn,
  wholePath,
} from "#contract";
import { type Remembering, remembering } from "../admin/idempotency.ts";
import { resourceRoutes } from "../admin/resource.ts";
import type { MountedRoute, Provided } from "./generation.ts";
import { belongsTo } from "./process/watchdog/marks.ts";

/** Hears of a plugin whose parts do not fit together after all. */
export type Fault = (name: string, thrown: unknown) => void;

/** The operations and routes of a generation. A plugin whose own cannot stand beside the others is left out whole. */
export class Mounts {
  readonly operations = new Map<OperationName, MountedRoute>();
  readonly routes: Route[] = [];
  constructor(
    private readonly addresses: Addresses,
    private readonly handles: ResourceHandles,
    private readonly memory: Remembering,
    private readonly fault: Fault,
  ) {}

  /** Says whether it stands. */
  mount(name: string, mounting: () => void): boolean {
    try {
      mounting();
      return true;
    } catch (thrown) {
      this.fault(name, thrown);
      return false;
    }
  }
  api({ name, provides }: Provided<Api>): void {
    const operations = (provides.operations ?? []).map((route) => ({ ...route, row: mountedOperation(route.operation, route) }));
    const routes = provides.routes ?? [];
    this.addresses.take(name, [...operations.map(({ row }) => ({ ...row, path: wholePath(row, row.path) })), ...routes.map(addressOf)]);
    for (const route of operations) this.operations.set(route.row.id, belongsTo(route, name));
    this.add(name, routes);
  }
  admin({ name, provides }: Provided<Admin>): void {
    const routes = [
      ...(provides.resources ?? []).flatMap((resource) => resourceRoutes(resource, this.handles)),
      ...(provides.routes ?? []),
    ];
    this.addresses.take(name, routes.map(addressOf));
    this.add(name, routes);
  }
  private add(name: string, routes: readonly Route[]): void {
    for (const route of routes) this.routes.push(belongsTo(remembering(route, this.memory), name));
  }
}

/** What a route is reached by, its whole path, and what it asks of a key. */
export type Address = Pick<Route, "method" | "path" | "scope">;
const addressOf = ({ method, plane, path, scope }: Route): Address => ({ method, path: PREFIX[plane] + path, scope });

/**
 * Which plugin each route belongs to. The first keeps a method and path; a plugin with a route that is another's, or with a
 * scope that no key could hold, is refused whole, in words that name it.
 */
export class Addresses {
  private readonly owners = new Map<string, string>();
  private readonly scopes: ReadonlySet<string>;
  constructor(table: ScopeTable) {
    this.scopes = new Set(table.flatMap(scopesIn));
  }

  /** Throws, and takes none of them, when one cannot be the plugin's. */
  take(plugin: string, routes: readonly Address[]): void {
    for (const route of routes) this.judge(plugin, route);
    for (const route of routes) this.owners.set(keyOf(route), plugin);
  }
  private judge(plugin: string, route: Address): void {
    const owner = this.owners.get(keyOf(route));
    const shown = `${route.method} ${route.path}`;
    if (owner !== undefined && owner !== plugin) throw refused(`${shown} is already provided by ${owner}; choose another path`);
    if (!isClosed(route) && !isPublic(route))
      throw refused(`${shown} does not say who may ask it; name its scope, or write that it is public ({ public: true })`);
    const missing = scopesOf(route).find((scope) => !this.scopes.has(scope));
    if (missing === undefined) return;
    throw refused(
      `${shown} asks for the scope ${missing}, which there is not; declare it in the manifest (scopes), or take one that there is`,
    );
  }
}

/** Parameters of a path may be called anything; a verb behind one tells paths apart. */
const keyOf = ({ method, path }: Address): string => `${method} ${path.replace(/\/:[^/:]+/g, "/:")}`;
const scopesOf = ({ scope }: Address): readonly string[] => (typeof scope === "string" ? [scope] : "public" in scope ? [] : scope);
/** A plugin from elsewhere was not compiled with ours: what its route says may be anything, or nothing. */
const isClosed = ({ scope }: { readonly scope?: unknown }): boolean =>
  Array.isArray(scope) ? scope.length > 0 && scope.every((one) => typeof one === "string") : typeof scope === "string";
const isPublic = ({ scope }: { readonly scope?: unknown }): boolean => isJson(scope) && scope["public"] === true;
const refused = (why: string): Error => new Error(why);
