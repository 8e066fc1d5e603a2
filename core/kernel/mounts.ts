import { type Admin, type Api, mountedOperation, type OperationName, type ResourceHandles, type Route } from "#contract";
import { resourceRoutes } from "../admin/resource.ts";
import type { Addresses } from "./addresses.ts";
import type { Loaded, MountedRoute } from "./generation.ts";
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
  api({ name, provides }: Loaded<Api>): void {
    const operations = (provides.operations ?? []).map((route) => ({ ...route, row: mountedOperation(route.operation, route) }));
    const routes = provides.routes ?? [];
    this.addresses.take(name, [...operations.map(({ row }) => ({ ...row, plane: "data" as const })), ...routes]);
    for (const route of operations) this.operations.set(route.row.id, belongsTo(route, name));
    this.add(name, routes);
  }
  admin({ name, provides }: Loaded<Admin>): void {
    const routes = [
      ...(provides.resources ?? []).flatMap((resource) => resourceRoutes(resource, this.handles)),
      ...(provides.routes ?? []),
    ];
    this.addresses.take(name, routes);
    this.add(name, routes);
  }
  private add(name: string, routes: readonly Route[]): void {
    for (const route of routes) this.routes.push(belongsTo(route, name));
  }
}
