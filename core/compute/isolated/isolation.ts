import type { GuardrailPack, Json, Plugin, Running } from "#contract";
import type { PipedChild } from "../../platform.ts";
import { spawnGroup } from "../process-group.ts";
import type { PackSource } from "../work.ts";
import { isolatedPack } from "./described.ts";
import type { PackHost } from "./host-calls.ts";
import { nothingCounted, type PackCounts } from "./pack-counts.ts";
import { PackPool } from "./pack-pool.ts";
import { readSchema } from "./schema-wire.ts";
import type { DescribedPlugin } from "./wire.ts";

export interface IsolationOptions {
  /** Processes of one pack, at most. */
  readonly processes: number;
  readonly busyMs: number;
  readonly memoryBytes: number;
  readonly startMs?: number;
  readonly start?: () => PipedChild;
}

/** Packs whose code runs in processes of its own: nothing of it is imported here. */
export class Isolation {
  private readonly counted = new Map<string, PackCounts>();

  constructor(private readonly options: IsolationOptions) {}

  /** A module as an import would give it, whose plugin works elsewhere. */
  async load(source: PackSource): Promise<{ readonly default: Plugin<"guardrail"> }> {
    const { startMs = START_MS, start = () => spawnGroup(["isolated"]) } = this.options;
    const pool = new PackPool(source, { ...this.options, startMs, start }, this.countsOf(source.name));
    try {
      return { default: isolatedPlugin(await pool.load(), pool) };
    } catch (thrown) {
      await pool.close();
      throw thrown;
    }
  }
  /** By `kind/id`. */
  counts(): ReadonlyMap<string, PackCounts> {
    return this.counted;
  }
  private countsOf(name: string): PackCounts {
    const counts = this.counted.get(name) ?? nothingCounted();
    this.counted.set(name, counts);
    return counts;
  }
}
const START_MS = 10_000;

/** What of a host crosses to another process. */
const CROSSES = /^(net:|secret:|credentials$)/;

function isolatedPlugin({ kind, needs, config }: DescribedPlugin, pool: PackPool): Plugin<"guardrail"> {
  const plugin = {
    kind,
    needs,
    config: readSchema(config),
    async setup(host: PackHost, given: Json): Promise<Running<GuardrailPack>> {
      const other = needs.find((need) => !CROSSES.test(need));
      if (other !== undefined) throw new Error(`it needs ${other}, which a pack in processes of its own cannot have`);
      return running(pool, host, given);
    },
  };
  return plugin as unknown as Plugin<"guardrail">; // judged by the kernel like any other
}

async function running(pool: PackPool, host: PackHost, config: Json): Promise<Running<GuardrailPack>> {
  try {
    return {
      provides: isolatedPack(await pool.start(host, config), pool),
      health: () => pool.health(),
      drain: (deadline) => pool.drain(deadline),
      close: () => pool.close(),
    };
  } catch (thrown) {
    await pool.close();
    throw thrown;
  }
}
