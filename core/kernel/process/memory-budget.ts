import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { GatewayError, type Health } from "#contract";

const MB = 1024 * 1024;

/**
 * One budget for the bytes that requests hold in this process: their bodies, whole answers, what guardrails hold back,
 * events that have not ended. New work that would go beyond it is refused; what is under way may grow a quarter
 * beyond, and is ended there, because the process would be otherwise.
 */
export class MemoryBudget {
  used = 0;
  /** The most that was used at once. */
  peak = 0;
  /** Requests that were refused, and that were ended because they grew. */
  refused = 0;
  ended = 0;
  readonly ceiling: number;
  private refusedAt = Number.NEGATIVE_INFINITY;
  private readonly shares = new Map<string, number>();
  private shared = 0;

  constructor(
    readonly limit: number,
    private readonly now: () => number = Date.now,
  ) {
    this.ceiling = limit * 1.25;
  }

  /** What one request takes of it; nothing yet. */
  hold(): Held {
    return new Held(this);
  }

  /** Admits new work of a size that counts, and remembers whose it is. `before` is what it holds already. */
  admit(bytes: number, tenant: string, before: number): void {
    if (before + bytes > this.limit * ALONE) throw this.neverFits(before + bytes);
    const mine = (this.shares.get(tenant) ?? 0) + bytes;
    const most = this.shared + bytes > mine ? this.limit / 2 : this.limit * ALONE;
    if (this.used + bytes > this.limit || mine > most) throw this.refusal();
    this.shares.set(tenant, mine);
    this.shared += bytes;
    this.add(bytes);
  }
  /** Work under way needs more. */
  grow(bytes: number): void {
    if (bytes > 0 && this.used + bytes > this.ceiling) {
      this.ended += 1;
      throw this.refusal();
    }
    this.add(bytes);
  }
  private add(bytes: number): void {
    this.used += bytes;
    if (this.used > this.peak) this.peak = this.used;
  }
  private refusal(): GatewayError {
    this.refused += 1;
    this.refusedAt = this.now();
    return new GatewayError("MEMORY_FULL", { budgetMb: Math.round(this.limit / MB) });
  }
  /** No shortage: it would not fit if nothing else were there. */
  private neverFits(needed: number): GatewayError {
    return new GatewayError("BODY_TOO_COSTLY", { neededMb: Math.ceil(needed / MB), mostMb: Math.floor((this.limit * ALONE) / MB) });
  }
  giveBack(bytes: number, admitted: number, tenant: string): void {
    this.used -= bytes;
    if (admitted === 0) return;
    this.shared -= admitted;
    const left = (this.shares.get(tenant) ?? 0) - admitted;
    if (left > 0) this.shares.set(tenant, left);
    else this.shares.delete(tenant);
  }

  health(): Health {
    const { used, peak, limit, refused, ended } = this;
    const recently = this.now() - this.refusedAt < RECENT_MS;
    const why = `Requests were refused in the last ${RECENT_MS / 1000} s because those under way hold the memory budget of ${Math.round(limit / MB)} MB; raise GATEWAY_MEMORY_MB, or run more processes.`;
    return { degraded: recently ? [why] : [], detail: { used_bytes: used, peak_bytes: peak, budget_bytes: limit, refused, ended } };
  }
}
/** The part that one tenant may take while no other takes any; half of it all otherwise. */
const ALONE = 7 / 8;
const RECENT_MS = 10_000;

/** Below this, a body is counted and never refused for want of the budget alone: small requests go on when large ones fill it. */
const SMALL = 1 * MB;

/** What one request holds of the budget. It goes back in one place: where the request is settled. */
export class Held {
  bytes = 0;
  private admitted = 0;
  private released = false;
  /** The workspace, or else the organisation, that it counts against; empty for none. */
  tenant = "";
  constructor(private readonly budget: MemoryBudget) {}

  /** New work; refused beyond the budget. */
  take(bytes: number): void {
    if (bytes < SMALL) return this.grow(bytes);
    if (this.released) throw new GatewayError("CLIENT_LEFT");
    this.budget.admit(bytes, this.tenant, this.bytes);
    this.admitted += bytes;
    this.bytes += bytes;
  }
  /** Takes step by step for a body of unknown length of which `size` bytes are here; says how many it has taken for. */
  takeUpTo(size: number, taken: number, cost: (bytes: number) => number): number {
    let now = taken;
    while (now < size) {
      const step = Math.min(Math.max(now, FIRST_BYTES), MOST_BYTES); // doubled each time
      this.take(cost(step));
      now += step;
    }
    return now;
  }
  /** More of it, or less. */
  grow(bytes: number): void {
    if (this.released) return refuseMore(bytes);
    this.budget.grow(bytes);
    this.bytes += bytes;
  }
  /** What it held before, when what came since is dropped. */
  backTo(bytes: number): void {
    if (this.bytes > bytes) this.grow(bytes - this.bytes);
  }
  /** All of it goes back, for good. */
  release(): void {
    this.released = true;
    this.budget.giveBack(this.bytes, this.admitted, this.tenant);
    this.bytes = this.admitted = 0;
  }
}

/** The request is over: what still works for it takes nothing more, and is ended. */
function refuseMore(bytes: number): void {
  if (bytes > 0) throw new GatewayError("CLIENT_LEFT");
}
/** What a body of unknown length is taken for at first, and the most at once. */
const FIRST_BYTES = 16 * 1024;
const MOST_BYTES = 1 * MB;

/** Bytes that this process may use: the machine's memory, or the container's where that is less. */
export function usableMemory(read: (file: string) => string = readText): number {
  const limits = CGROUP_LIMITS.map((file) => Number(read(file).trim() || Number.NaN)).filter((limit) => limit > 0);
  return Math.min(totalmem(), ...limits);
}
const CGROUP_LIMITS = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // there is no such limit
  }
}
/** What the settings say; without a word of them a quarter of it, shared by the processes of one port. */
export const budgetOf = ({ memoryMb, workers }: { readonly memoryMb?: number | undefined; readonly workers: number }): number =>
  memoryMb === undefined ? usableMemory() / 4 / workers : memoryMb * MB;

/**
 * The memory that the runtime is told there is, so that it collects accordingly: with all of the machine's it would put
 * that off until the garbage of large requests is a multiple of what the budget holds.
 */
export const runtimeMemory = (budget: number): number => Math.round(Math.max(budget, 256 * MB));
