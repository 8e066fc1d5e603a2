import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";

/** Sends a signal to a process and its children; the parent first, so that it cannot start another child meanwhile. */
export function signalTree(pid: number | undefined, signal: "SIGSTOP" | "SIGCONT"): void {
  if (pid === undefined) return;
  for (const one of [pid, ...childrenOf(pid)]) {
    try {
      process.kill(one, signal);
    } catch {
      // it ended in between
    }
  }
}

function childrenOf(pid: number): number[] {
  const parents = existsSync("/proc/self/stat") ? fromProc() : fromPs();
  return parents.filter(([, parent]) => parent === pid).map(([child]) => child);
}
/** `[process, parent]` pairs. */
type Parents = [number, number][];
const fromProc = (): Parents =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // "pid (name) state ppid …"; the name may hold anything, so read after its last parenthesis
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])] as [number, number]];
      } catch {
        return []; // it ended in between
      }
    });
const fromPs = (): Parents => {
  const lines = spawnSync("ps", ["-A", "-o", "pid=", "-o", "ppid="]).stdout.toString().trim().split("\n");
  return lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
};
