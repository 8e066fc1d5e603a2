import { readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/* What a process takes of the machine, where the system tells. */

/** Requests come first, where the machine has no core to spare: the process is nicer than this one by so much. */
export function niced(pid: number, by: number): void {
  try {
    setPriority(pid, Math.min(NICEST, getPriority() + by));
  } catch {
    // it has ended already, which is told elsewhere, or this system knows no priorities
  }
}

const NICEST = 19;

/** Memory a process holds. */
export function residentBytes(pid: number): number | null {
  const pages = numbersOf(`/proc/${pid}/statm`)?.[1];
  return pages === undefined ? null : pages * PAGE_BYTES;
}
const PAGE_BYTES = 4096;

/** Milliseconds of the processor that a process has taken. */
export function cpuMs(pid: number): number | null {
  const [user, system] = numbersOf(`/proc/${pid}/stat`)?.slice(USER_TICKS, USER_TICKS + 2) ?? [];
  return user === undefined || system === undefined ? null : (user + system) * TICK_MS;
}
/** Behind the name of the program, which may hold spaces. */
const USER_TICKS = 11;
const TICK_MS = 10;

function numbersOf(file: string): readonly number[] | null {
  try {
    return (readFileSync(file, "latin1").split(") ").at(-1) ?? "").split(" ").map(Number);
  } catch {
    return null; // no Linux, or the process has just ended
  }
}
