import type { Manifest, PackageManifest } from "#contract";
import { registry } from "../generated/registry.ts";
import { importModule } from "../platform.ts";
import type { PackSource } from "./work.ts";

/** The module of a pack, in a process that is not the gateway's. */
export function moduleOf({ name, module }: PackSource): Promise<unknown> {
  if (module) return importModule(module.path, module.version);
  const row = registry.find((candidate) => nameOf(candidate) === name);
  if (!row?.load) throw new Error(`this program has no plugin ${name}`);
  return row.load();
}

/** `kind/id` of a row, whose manifest was judged when the gateway booted. */
function nameOf({ manifest, part = 0 }: (typeof registry)[number]): string {
  const { kind, id, parts } = manifest as Partial<Manifest> & Partial<PackageManifest>;
  const own = parts?.[part] ?? { kind, id };
  return `${own.kind}/${own.id ?? id}`;
}
