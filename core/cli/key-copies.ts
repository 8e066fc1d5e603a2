import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "#contract";
import { makePrivate, syncPath } from "../kernel/secrets/private-file.ts";
import { ADMIN_KEY_FILE, GATEWAY_KEY_FILE, SECRET_KEY_FILE } from "../kernel/secrets/key-file-names.ts";
import { createVault } from "../kernel/secrets/vault.ts";
import type { Settings } from "../kernel/settings/settings.ts";

/** Files of the data folder without which a copy of the storage is of little use. */
const FILES = [SECRET_KEY_FILE, ADMIN_KEY_FILE, GATEWAY_KEY_FILE] as const;

/** Which secret seals what a backup holds: told apart without telling it. */
export const sealOf = (secret: string): string =>
  createVault(secret, () => undefined)
    .digest("backup")
    .slice(0, 16);

/** The secret that a gateway with these settings uses, when `folder` is where its key files are. */
export function secretIn(folder: string, { secretKey }: Settings): string | undefined {
  const file = join(folder, SECRET_KEY_FILE);
  return secretKey ?? (existsSync(file) ? readFileSync(file, "utf8").trim() : undefined);
}

/** Copies those that are there; returns their names. */
export function copyKeys(from: string, to: string): readonly string[] {
  const there = FILES.filter((name) => existsSync(join(from, name)));
  for (const name of there) {
    makePrivate(join(to, name));
    copyFileSync(join(from, name), join(to, name));
    syncPath(join(to, name));
  }
  return there;
}

/** Puts the copies in place whole, and what was there into the folder `aside`. */
export function replaceKeys(from: string, dataDir: string, aside: string): void {
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  for (const name of FILES.filter((file) => existsSync(join(from, file)))) {
    const draft = join(aside, `${name}.new`);
    makePrivate(draft);
    copyFileSync(join(from, name), draft);
    chmodSync(draft, 0o600); // a copy that travelled may be open to others
    syncPath(draft);
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(aside, name));
    renameSync(draft, join(dataDir, name));
  }
  syncPath(dataDir);
}

export const refused = (why: string): GatewayError => new GatewayError("BACKUP_REFUSED", { why });
