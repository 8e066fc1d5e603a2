import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Health, type Logger, messageOf } from "#contract";
import { Segment } from "./segment.ts";
import { type Budget, Spool, SUFFIX } from "./spool.ts";

/**
 * The spools of one process: a folder of its own below the shared one, with a mark that says it is alive. A folder whose
 * mark has grown old is another's to take: renaming it into one's own succeeds for exactly one of those who try.
 */
export interface Spools {
  of(exporter: string): Spool;
  /** Calls back now and then: something may wait that another generation or process left. */
  onBeat(run: () => void): () => void;
  /** Says that this process is alive and takes what dead ones left; by itself every two seconds. */
  beat(): Promise<void>;
  health(): Health;
  /** What is left stays on disk, for whoever comes first. */
  close(): Promise<void>;
}
export interface SpoolOptions {
  /** The folder that all processes share. */
  readonly dir: string;
  readonly limitBytes: number;
  readonly log: Logger;
  readonly now: () => number;
  readonly beatMs?: number;
}
const BEAT_MS = 2_000;
/** So many beats missed, and a process is dead. */
const DEAD_AFTER_BEATS = 5;
const MARK = "alive";
/** Below the data folder. */
export const SPOOL_FOLDER = "spool";

export async function openSpools(options: SpoolOptions): Promise<Spools> {
  const spools = new ProcessSpools(options);
  await spools.beat();
  return spools;
}

class ProcessSpools implements Spools {
  private readonly own: string;
  private readonly budget: Budget;
  private readonly byExporter = new Map<string, Spool>();
  private readonly listeners = new Set<() => void>();
  private readonly beatMs: number;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private beating: Promise<void> = Promise.resolve();
  private lastBeat = 0;
  private closed = false;
  private failure: string | null = null;

  constructor(private readonly options: SpoolOptions) {
    this.own = join(options.dir, crypto.randomUUID());
    this.budget = { limitBytes: options.limitBytes, usedBytes: 0 };
    this.beatMs = options.beatMs ?? BEAT_MS;
  }

  of(exporter: string): Spool {
    const known = this.byExporter.get(exporter);
    if (known) return known;
    const spool = new Spool(() => this.placeOf(exporter), this.budget, this.options.log);
    this.byExporter.set(exporter, spool);
    return spool;
  }
  onBeat(run: () => void): () => void {
    this.listeners.add(run);
    return () => void this.listeners.delete(run);
  }
  health(): Health {
    const why = [this.failure, ...[...this.byExporter.values()].map(({ failure }) => failure)].find((one) => one !== null);
    const degraded =
      why === undefined ? [] : [`The folder ${this.options.dir} cannot be written: ${why}. What waits for a store waits in memory only.`];
    return { degraded, detail: { bytes: this.budget.usedBytes, limit_bytes: this.budget.limitBytes } };
  }

  /** Says that this process is alive, and takes what dead ones left. */
  beat(): Promise<void> {
    clearTimeout(this.timer);
    this.beating = this.beating.then(() => this.once());
    return this.beating;
  }
  private async once(): Promise<void> {
    if (this.closed) return;
    try {
      await this.mark();
      await this.adoptDead();
      this.failure = null;
    } catch (thrown) {
      this.failure = messageOf(thrown);
    }
    for (const run of this.listeners) run();
    this.timer = setTimeout(() => void this.beat(), this.beatMs);
    this.timer.unref?.();
  }

  /** A process that stood still for long may have been taken for dead: what it had is another's then. */
  private async mark(): Promise<void> {
    const mark = join(this.own, MARK);
    const now = this.options.now() / 1000;
    const isThere = await utimes(mark, now, now).then(
      () => true,
      () => false,
    );
    if (!isThere) {
      if (this.lastBeat > 0) this.lose();
      await mkdir(this.own, { recursive: true, mode: 0o700 });
      await writeFile(mark, "", { mode: 0o600 });
    }
    this.lastBeat = this.options.now();
  }
  private lose(): void {
    this.options.log("warn", "spool.taken", { why: "this process stood still, or its folder was deleted" });
    for (const spool of this.byExporter.values()) spool.lose();
  }
  private async placeOf(exporter: string): Promise<string> {
    if (this.options.now() - this.lastBeat > this.beatMs * (DEAD_AFTER_BEATS - 2)) await this.mark();
    const dir = join(this.own, encodeURIComponent(exporter));
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return dir;
  }

  private async adoptDead(): Promise<void> {
    for (const name of await readdir(this.options.dir)) {
      const folder = join(this.options.dir, name);
      if (folder !== this.own && (await this.isDead(folder))) await this.adopt(folder);
    }
  }
  private async isDead(folder: string): Promise<boolean> {
    const seen = await stat(join(folder, MARK)).catch(() => stat(folder).catch(() => null));
    return seen !== null && this.options.now() - seen.mtimeMs > this.beatMs * DEAD_AFTER_BEATS;
  }
  private async adopt(folder: string): Promise<void> {
    const mine = join(this.own, `from-${basename(folder)}`);
    try {
      await rename(folder, mine);
    } catch {
      return; // another process was first
    }
    const files = (await readdir(mine, { recursive: true })).filter((file) => file.endsWith(SUFFIX)).sort(byName);
    const found = Object.groupBy(files, (file) => decodeURIComponent(basename(dirname(file))));
    for (const [exporter, paths = []] of Object.entries(found))
      this.of(exporter).adopt(await Promise.all(paths.map((path) => segmentAt(join(mine, path)))));
    this.options.log("info", "spool.adopted", { folder: basename(folder), files: files.length });
    if (files.length === 0) await rm(mine, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.beating;
    await Promise.all([...this.byExporter.values()].map((spool) => spool.close()));
    const waits = [...this.byExporter.values()].some(({ bytes }) => bytes > 0);
    if (waits)
      await utimes(join(this.own, MARK), 0, 0).catch(() => undefined); // it cannot be left tidier than this
    else await rm(this.own, { recursive: true, force: true }).catch(() => undefined);
  }
}
const byName = (a: string, b: string): number => basename(a).localeCompare(basename(b));
const segmentAt = async (path: string): Promise<Segment> => new Segment(path, (await stat(path)).size);
