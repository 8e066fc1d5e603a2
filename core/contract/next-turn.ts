/** Milliseconds that several long works may take of one turn of the event loop. */
const TURN_MS = 8;
/** So many at most go on in one turn, however short they are. */
const MOST_AT_ONCE = 64;
/** Bytes that works which do not wait may read between two turns, all together. */
const TURN_BYTES = 128 * 1024;

/**
 * Those that wait for a turn of the event loop. Each does little before it waits again, but sixty of them would do sixty
 * times that in one turn: as many go on as a turn has time for, and the others in the next. Each goes on by a call of its
 * own, for what it does then is done before the next is called: so it is known how long the turn has taken.
 */
class Turns {
  private waiting: (() => void)[] = [];
  private from = 0;
  /** Calls of the next turn, or of the one under way, and those of them that were made. */
  private asked = 0;
  private made = 0;
  private beganAt = 0;
  private bytes = 0;
  private readonly call = (): void => this.goOn();

  wait(goOn: () => void): void {
    this.waiting.push(goOn);
    if (this.made === 0 && this.asked < MOST_AT_ONCE) this.ask(1);
  }
  /** May so many bytes more be read without waiting? */
  hasRoomFor(bytes: number): boolean {
    this.bytes += bytes;
    return this.bytes <= TURN_BYTES;
  }
  private ask(calls: number): void {
    this.asked += calls;
    for (let call = 0; call < calls; call += 1) setImmediate(this.call);
  }
  private goOn(): void {
    if (this.made === 0) this.begin();
    this.made += 1;
    if (this.made === 1 || performance.now() - this.beganAt < TURN_MS) this.waiting[this.from++]?.();
    if (this.made === this.asked) this.end();
  }
  private begin(): void {
    this.beganAt = performance.now();
    this.bytes = 0;
  }
  private end(): void {
    this.asked = this.made = 0;
    if (this.from === this.waiting.length || this.from >= MOST_BEHIND) {
      this.waiting = this.waiting.slice(this.from);
      this.from = 0;
    }
    this.ask(Math.min(this.waiting.length - this.from, MOST_AT_ONCE));
  }
}
/** Places of a queue that are given back together. */
const MOST_BEHIND = 1_024;

const turns = new Turns();
const waitForTurn = (goOn: () => void): void => turns.wait(goOn);

/** Long work lets others have their turn: the event loop goes round before it goes on, more than once where many wait. */
export const nextTurn = (): Promise<void> => new Promise(waitForTurn);

/** Is there time for so many bytes in this turn? Many works that read little each, in the same moment, read much: beyond this they wait. */
export const turnHasRoomFor = (bytes: number): boolean => turns.hasRoomFor(bytes);
