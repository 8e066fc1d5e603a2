import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { dirname, resolve } from "node:path";
import { GatewayError, messageOf } from "#contract";
import { readTrust } from "../../egress/trust.ts";
import { bareAddress, HOST_EXAMPLES, isLoopback } from "./host-form.ts";
import type { Settings } from "./settings.ts";

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

async function judgeHost(host: string): Promise<void> {
  if (isIP(bareAddress(host)) !== 0 || isLoopback(host)) return;
  await lookup(host).catch(() => {
    throw noHost(host, `no address is known for that name; ${HOST_EXAMPLES}`);
  });
}
const noHost = (value: string, why: string): GatewayError => new GatewayError("SETTING_INVALID", { name: "HOST", value, why });
