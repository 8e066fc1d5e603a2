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
/** A beat may come late on a busy machine. */
const SILENT_AFTER_BEATS = 2;
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
  /** The marks of processes beside this one: when, and whether one has moved since this process looks. */
  private readonly marks = new Map<string, { readonly at: number; readonly moved: boolean }>();
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
    const opened = this.byExporter.get(exporter);
    if (opened) return opened;
    const spool = new Spool(() => this.placeOf(exporter), this.budget, this.options.log);
    this.byExporter.set(exporter, spool);
    return spool;
  }
  onBeat(run: () => void): () => void {
    this.listeners.add(run);
    return () => void this.listeners.delete(run);
  }
  health(): Health {
    const why = [this.failure, ...[...this.byExporter.values()].map(({ failure }) => failure)].find((failure) => failure !== null);
    const degraded =
      why === undefined ? [] : [`The folder ${this.options.dir} cannot be written: ${why}. What waits for a store waits in memory only.`];
    const left = [...this.byExporter.values()].reduce((sum, { leftBytes }) => sum + leftBytes, 0);
    if (left > 0) degraded.push(this.leftSentence(left));
    return { degraded, detail: { bytes: this.budget.usedBytes, left_bytes: left, limit_bytes: this.budget.limitBytes } };
  }
  private leftSentence(bytes: number): string {
    const seconds = (this.beatMs * DEAD_AFTER_BEATS) / 1_000;
    return `${bytes} bytes that a process left wait in ${this.options.dir}: they are taken over once it has given no sign of life for ${seconds} s.`;
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
    const left = new Map<string, number>();
    for (const name of await readdir(this.options.dir)) {
      const folder = join(this.options.dir, name);
      const state = folder === this.own ? "lives" : await this.stateOf(folder);
      if (state === "dead") await this.adopt(folder);
      if (state === "silent") await addBytes(folder, left);
    }
    for (const exporter of left.keys()) this.of(exporter);
    for (const [exporter, spool] of this.byExporter) spool.leftBytes = left.get(exporter) ?? 0;
  }
  /** What was never seen to live may have ended long ago: silent, until it gives a sign of life or is dead. */
  private async stateOf(folder: string): Promise<"lives" | "silent" | "dead"> {
    const mark = await stat(join(folder, MARK)).catch(() => stat(folder).catch(() => null));
    if (mark === null) return "lives"; // another process has just taken it
    const before = this.marks.get(folder);
    const seen = { at: mark.mtimeMs, moved: before !== undefined && (before.moved || before.at !== mark.mtimeMs) };
    const silentMs = this.options.now() - mark.mtimeMs;
    const isDead = silentMs > this.beatMs * DEAD_AFTER_BEATS;
    if (isDead) this.marks.delete(folder);
    else this.marks.set(folder, seen);
    if (isDead) return "dead";
    return seen.moved && silentMs <= this.beatMs * SILENT_AFTER_BEATS ? "lives" : "silent";
  }
  private async adopt(folder: string): Promise<void> {
    const mine = join(this.own, `from-${basename(folder)}`);
    try {
      await rename(folder, mine);
    } catch {
      return; // another process was first
    }
    const files = (await readdir(mine, { recursive: true })).filter((file) => file.endsWith(SUFFIX)).sort(byName);
    const found = Object.groupBy(files, exporterOf);
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
/** Files that vanish meanwhile are written, or another process's. */
async function addBytes(folder: string, byExporter: Map<string, number>): Promise<void> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  for (const file of files.filter((name) => name.endsWith(SUFFIX))) {
    const exporter = exporterOf(file);
    const bytes = await stat(join(folder, file))
      .then(({ size }) => size)
      .catch(() => 0);
    byExporter.set(exporter, (byExporter.get(exporter) ?? 0) + bytes);
  }
}
const exporterOf = (file: string): string => decodeURIComponent(basename(dirname(file)));
const byName = (a: string, b: string): number => basename(a).localeCompare(basename(b));
const segmentAt = async (path: string): Promise<Segment> => new Segment(path, (await stat(path)).size);
