import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { dirname, resolve } from "node:path";
import { GatewayError, messageOf } from "#contract";
import { readTrust } from "../egress/trust.ts";
import { isLoopback, type Settings } from "./settings.ts";

/** Can the gateway keep its data there, listen there, and trust those hosts, as far as it can be told without doing any of it? */
export async function judgePlaces(settings: Pick<Settings, "host" | "dataDir" | "trustedHosts">): Promise<void> {
  judgeFolder(settings.dataDir);
  readTrust(settings.trustedHosts);
  await judgeHost(settings.host);
}

/* ── where the data is ───────────────────────────────────────────────────────────────────────────────────────── */

/** Makes the data folder, for the gateway's user only. */
export function makeDataFolder(dir: string): void {
  judgeFolder(dir);
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw unusable(dir, `the folder cannot be made: ${messageOf(thrown)}`);
  }
}

/** The folder itself, or the nearest one above it that is there, must be a folder that can be written to. */
function judgeFolder(dir: string): void {
  const nearest = nearestPresent(dir, resolve(dir));
  if (!statSync(nearest).isDirectory()) throw unusable(dir, `${nearest} is a file and no folder`);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch {
    throw unusable(dir, `the folder ${nearest} may not be written to by this user; change its owner, or set another folder`);
  }
}

function nearestPresent(dir: string, path: string): string {
  try {
    statSync(path);
    return path;
  } catch (thrown) {
    const { code } = thrown as { readonly code?: unknown }; // the runtime throws system errors
    const above = dirname(path);
    if ((code !== "ENOENT" && code !== "ENOTDIR") || above === path) throw unusable(dir, messageOf(thrown));
    return nearestPresent(dir, above);
  }
}

const unusable = (value: string, why: string): GatewayError =>
  new GatewayError("SETTING_INVALID", { name: "GATEWAY_DATA_DIR", value, why });

/* ── where it listens ────────────────────────────────────────────────────────────────────────────────────────── */

const EXAMPLES = "write an address of this machine: 127.0.0.1 for this machine only, 0.0.0.0 or :: for all that reach it";
/** Mistakes that are seen without asking a name server. */
const MISTAKES: readonly { readonly is: RegExp; readonly why: string }[] = [
  { is: /[/\s]|:\/\//, why: `it is no address but a URL or a path; ${EXAMPLES}, the port is PORT` },
  { is: /^[^:]+:\d+$/, why: `the port is a variable of its own, PORT; ${EXAMPLES}` },
  { is: /^\d+(\.\d+){3}$/, why: `it is no IPv4 address, whose four numbers are at most 255; ${EXAMPLES}` },
  { is: /:.*:/, why: `it is no IPv6 address; ${EXAMPLES}` },
];

async function judgeHost(host: string): Promise<void> {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) !== 0 || isLoopback(host)) return;
  const mistake = MISTAKES.find(({ is }) => is.test(address));
  if (mistake) throw noHost(host, mistake.why);
  await lookup(address).catch(() => {
    throw noHost(host, `no address is known for that name; ${EXAMPLES}`);
  });
}
const noHost = (value: string, why: string): GatewayError => new GatewayError("SETTING_INVALID", { name: "HOST", value, why });
