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
  /** When all have to have ended; a handshake that was in flight may bring one yet. */
  private endsAt: number | null = null;

  get size(): number {
    return this.open.size;
  }
  /** Opens a session's client side, in which it may end already; `false` where that could not be. */
  opening(session: Watched, open: () => boolean): boolean {
    this.add(session);
    let isOpen = false;
    try {
      isOpen = open();
      return isOpen;
    } finally {
      if (!isOpen) this.remove(session);
    }
  }
  private add(session: Watched): void {
    this.open.add(session);
    this.timer ??= setInterval(() => this.look(), LOOK_MS);
    if (this.endsAt === null) return;
    session.leave(false);
    this.callLast();
  }
  remove(session: Watched): void {
    this.open.delete(session);
    if (this.open.size > 0) return;
    clearInterval(this.timer);
    clearTimeout(this.lastCall);
    this.timer = this.lastCall = undefined;
  }
  /** The generation goes: those in which nothing is under way end now, the others when that is over, or after so long. */
  leave(withinMs: number): void {
    this.endsAt = Date.now() + withinMs;
    for (const session of this.open) session.leave(false);
    this.callLast();
  }
  private callLast(): void {
    if (this.open.size === 0 || this.endsAt === null) return;
    this.lastCall ??= setTimeout(() => this.endAll(), Math.max(this.endsAt - Date.now(), 0));
  }
  private endAll(): void {
    for (const session of this.open) session.leave(true);
  }
  private look(): void {
    for (const session of this.open) session.look();
  }
}
