/** A session that is looked after. */
interface Watched {
  look(): void;
  leave(now: boolean): void;
}

/** How often each session is looked after: a key that is revoked ends its sessions within a second. */
const LOOK_MS = 250;

/** The sessions of a generation. One timer looks after all of them, while there are any. */
export class Sessions {
  private readonly open = new Set<Watched>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private lastCall: ReturnType<typeof setTimeout> | undefined;

  get size(): number {
    return this.open.size;
  }
  add(session: Watched): void {
    this.open.add(session);
    this.timer ??= setInterval(() => this.look(), LOOK_MS);
  }
  remove(session: Watched): void {
    this.open.delete(session);
    if (this.open.size > 0) return;
    clearInterval(this.timer);
    clearTimeout(this.lastCall);
    this.timer = this.lastCall = undefined;
  }
  /** No new ones come: those in which nothing is under way end now, the others when that is over, or after so long. */
  leave(withinMs: number): void {
    for (const session of this.open) session.leave(false);
    if (this.open.size > 0) this.lastCall = setTimeout(() => this.endAll(), withinMs);
  }
  private endAll(): void {
    for (const session of this.open) session.leave(true);
  }
  private look(): void {
    for (const session of this.open) session.look();
  }
}
