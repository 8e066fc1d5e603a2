import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./port.ts";
import { signalTree } from "./tree.ts";

/** One server program of a test run: its folder, its port, its process. It never outlives the test process. */
export interface ServerProcess {
  readonly folder: string;
  readonly port: number;
  /** Starts the program and waits until it is ready. */
  start(): Promise<void>;
  /** Ends it at once, as a crash would, and waits until it is gone. */
  stop(): Promise<void>;
  /** Freezes the server and its children: connections open, nothing answers. */
  pause(): void;
  resume(): void;
  /** Stops it for good and removes its folder. */
  remove(): Promise<void>;
}

export interface Program {
  readonly name: string;
  readonly file: string;
  readonly args: (folder: string, port: number) => readonly string[];
  /** Called once, in the new folder, before the first start. */
  readonly prepare?: (folder: string, owner: Owner) => void;
  readonly ready: (at: { folder: string; port: number; pid: number }) => boolean | Promise<boolean>;
  /** The signal that ends it without a goodbye. */
  readonly signal: "SIGQUIT" | "SIGKILL";
}

export async function serverProcess(program: Program): Promise<ServerProcess> {
  const owner = ownerOf();
  const folder = mkdtempSync(join(owner.uid === undefined ? tmpdir() : "/tmp", `gateway-test-${program.name}-`));
  own(folder, owner);
  const janitor = leaveToJanitor(folder, program.signal);
  program.prepare?.(folder, owner);
  const port = await freePort();
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const log = join(folder, "server.log");
    const command = [program.file, ...program.args(folder, port)];
    child = spawn("/bin/sh", ["-c", 'log=$1; shift; exec "$@" >>"$log" 2>&1 </dev/null', "sh", log, ...command], {
      ...owner,
      cwd: folder,
      stdio: "ignore",
      detached: true,
      env: { ...process.env, LC_ALL: "C" },
    });
    child.unref();
    const pid = child.pid;
    if (pid === undefined) throw new Error(`${program.name} could not be started`);
    writeFileSync(join(folder, "server.pid"), String(pid));
    const complaint = () => `${program.name} did not start: ${readFileSync(log, "utf8").slice(-500)}`;
    await whenReady(child, () => program.ready({ folder, port, pid }), complaint);
  };
  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child?.once("exit", resolve));
    signalTree(child.pid, "SIGCONT");
    child.kill(program.signal);
    await gone;
    rmSync(join(folder, "server.pid"), { force: true }); // the number may soon be another process's
  };
  return {
    folder,
    port,
    start,
    stop,
    pause: () => signalTree(child?.pid, "SIGSTOP"),
    resume: () => signalTree(child?.pid, "SIGCONT"),
    remove: async () => {
      await stop();
      await janitor.dismiss();
    },
  };
}

/** The user a server runs as. PostgreSQL refuses root, so root hands the folder to somebody else. */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}
function ownerOf(): Owner {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  return { uid: Number(user?.[2] ?? 65534), gid: Number(user?.[3] ?? 65534) };
}
export function own(path: string, { uid, gid }: Owner): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/**
 * A shell that waits for the end of its input. The input ends when this process ends, however it ends (kill -9 too);
 * then it ends the server and removes the folder.
 */
function leaveToJanitor(folder: string, signal: string): { dismiss(): Promise<void> } {
  const script = `trap '' INT TERM HUP; read _; pid=$(cat "$1/server.pid") && kill -CONT $pid && kill -${signal.slice(3)} $pid
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do kill -0 $pid || break; sleep 0.1; done; kill -KILL $pid; rm -rf "$1"`;
  const janitor = spawn("/bin/sh", ["-c", script, "sh", folder], { stdio: ["pipe", "ignore", "ignore"], detached: true, cwd: "/" });
  janitor.unref();
  return {
    dismiss: () =>
      new Promise((resolve) => {
        janitor.once("exit", () => resolve());
        janitor.stdin?.end();
      }),
  };
}

async function whenReady(child: ChildProcess, ready: () => boolean | Promise<boolean>, complaint: () => string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await ready())) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) throw new Error(complaint());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
