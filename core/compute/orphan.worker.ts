/*
 * Ends a compute process whose gateway is gone. The process itself would see the end of its pipe, but not while it is
 * inside a job that never ends. What it has started ends with it: it is the first of a group of its own.
 */
import { signalGroup } from "./process-group.ts";

const GATEWAY = process.ppid;
const EVERY_MS = 500;
setInterval(() => {
  if (process.ppid === GATEWAY) return;
  signalGroup(process.pid, "SIGKILL");
  process.kill(process.pid, "SIGKILL");
}, EVERY_MS);
