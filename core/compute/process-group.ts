import { type PipedChild, spawnPiped } from "../platform.ts";

/** As it was before a pack could take it away. */
const kill = process.kill.bind(process);

/** Signals a process that was started as the first of a group of its own, and all that it has started since. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    kill(-leader, signal);
  } catch {
    // all of it has ended, or this system knows no groups
  }
}

/** Starts this program again; what that has started ends with it. */
export function spawnGroup(args: readonly string[]): PipedChild {
  const child = spawnPiped(args);
  const kill = (signal: NodeJS.Signals): void => (child.pid > 0 ? signalGroup(child.pid, signal) : undefined);
  return { ...child, exited: child.exited.finally(() => kill("SIGKILL")), kill };
}
