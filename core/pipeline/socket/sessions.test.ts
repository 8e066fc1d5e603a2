import { describe, expect, test } from "bun:test";
import { Sessions } from "./sessions.ts";

/** A session that keeps what it is told; one that is `busy` leaves when it must only. */
class Watched {
  readonly heard: string[] = [];
  constructor(
    private readonly sessions: Sessions,
    private readonly busy = false,
  ) {}
  look(): void {
    this.heard.push("look");
  }
  leave(now: boolean): void {
    this.heard.push(now ? "leave now" : "leave");
    if (now || !this.busy) this.sessions.remove(this);
  }
}

describe("the sessions of a generation", () => {
  test("forget one that ends while its client's side opens", () => {
    const sessions = new Sessions();
    const session = new Watched(sessions);
    const isOpen = sessions.opening(session, () => {
      sessions.remove(session);
      return true;
    });
    expect([isOpen, sessions.size]).toEqual([true, 0]);
  });
  test("forget one whose client has gone, or whose opening breaks", () => {
    const sessions = new Sessions();
    expect([sessions.opening(new Watched(sessions), () => false), sessions.size]).toEqual([false, 0]);
    const breaks = (): boolean => {
      throw new RangeError("no header may hold this");
    };
    expect(() => sessions.opening(new Watched(sessions), breaks)).toThrow(RangeError);
    expect(sessions.size).toBe(0);
  });
  test("tell one that opens after they have left to leave, at the last call too", async () => {
    const sessions = new Sessions();
    sessions.leave(10);
    const [idle, busy] = [new Watched(sessions), new Watched(sessions, true)];
    const lastCall = new Promise<void>((resolve) => {
      const leave = busy.leave.bind(busy);
      busy.leave = (now) => {
        leave(now);
        if (now) resolve();
      };
    });
    sessions.opening(idle, () => true);
    sessions.opening(busy, () => true);
    expect([idle.heard, sessions.size]).toEqual([["leave"], 1]);
    await lastCall;
    expect([busy.heard, sessions.size]).toEqual([["leave", "leave now"], 0]);
  });
});
