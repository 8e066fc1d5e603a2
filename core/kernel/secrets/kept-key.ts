import { existsSync } from "node:fs";
import { type Logger, messageOf } from "#contract";
import { createOnce } from "./key-file.ts";
import { makeDataFolder } from "../settings/places.ts";
import type { Settings } from "../settings/settings.ts";
import { secretKeyFile, vaultSecret } from "./vault.ts";

const EVERY_MS = 1_000;

/**
 * Puts the secret key's file back while the process knows what was in it, should somebody remove it, alone or with the
 * whole data folder: without it, nothing that a store saved or keeps elsewhere could be used after the next start.
 * Nothing to do where the key is given in the environment. Returns what ends the looking.
 */
export function keepSecretKey(settings: Settings, log: Logger): () => void {
  if (settings.secretKey !== undefined) return () => undefined;
  const secret = vaultSecret(settings);
  const path = secretKeyFile(settings);
  let isToldGone = false;
  const look = (): void => {
    if (existsSync(path)) return;
    try {
      makeDataFolder(settings.dataDir);
      if (createOnce(path, secret)) log("warn", "secret-key.put_back", { path, why: "it was removed while the gateway ran" });
      isToldGone = false;
    } catch (thrown) {
      if (!isToldGone) log("error", "secret-key.gone", { path, why: `it was removed, and cannot be put back: ${messageOf(thrown)}` });
      isToldGone = true; // said once; the disk may take it later
    }
  };
  const timer = setInterval(look, EVERY_MS);
  timer.unref?.();
  return () => {
    clearInterval(timer);
    look();
  };
}
