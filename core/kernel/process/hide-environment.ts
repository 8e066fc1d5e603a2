import { Buffer } from "node:buffer";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { keepsEnvironment } from "../../platform.ts";

/** What libraries of the system read while the program runs; everything else may hold a secret. */
const SHOWN = /^(PATH|HOME|USER|SHELL|TERM|TZ|TZDIR|LANG|LANGUAGE|LC_\w+|TMPDIR|SSL_CERT_\w+|NODE_\w+|BUN_\w+|MALLOC_\w+|LD_\w+)=/;

/**
 * Blanks the values of the environment where the system shows it: whoever runs as the same user reads
 * `/proc/<pid>/environ`, and no program can take that away. What `process.env` says was read before, and stays.
 */
export function hideEnvironment(): void {
  if (!keepsEnvironment) return;
  Object.entries(process.env); // each is a text of the runtime's own from then on
  try {
    blank(environmentAt());
  } catch {
    // this system shows it otherwise, or not at all
  }
}

interface Place {
  readonly from: number;
  readonly bytes: Buffer;
}
/** Where in its own memory the process was given it. */
function environmentAt(): Place {
  const [from = Number.NaN, to = Number.NaN] = (readFileSync("/proc/self/stat", "latin1").split(") ").at(-1) ?? "")
    .split(" ")
    .slice(ENV_START, ENV_START + 2)
    .map(Number);
  const bytes = readFileSync("/proc/self/environ");
  if (bytes.length !== to - from) throw new Error("it is not where the system says");
  return { from, bytes };
}
/** Behind the name of the program, which may hold spaces. */
const ENV_START = 47;

function blank({ from, bytes }: Place): void {
  const blanked = Buffer.from(bytes.toString("latin1").split("\0").map(withoutValue).join("\0"), "latin1");
  const memory = openSync("/proc/self/mem", "r+");
  try {
    writeSync(memory, blanked, 0, blanked.length, from);
  } finally {
    closeSync(memory);
  }
}
const withoutValue = (entry: string): string =>
  SHOWN.test(entry) ? entry : entry.replace(/=.*$/s, (value) => `=${"\0".repeat(value.length - 1)}`);
