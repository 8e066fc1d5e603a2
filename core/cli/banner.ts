import { join } from "node:path";
import type { FirstKeys } from "./first-start.ts";
import type { Generation } from "../kernel/generation.ts";
import { offlineChat } from "../http/offline-chat.ts";
import { SETTINGS, type Settings } from "../kernel/settings/settings.ts";
import { ADMIN_KEY_FILE, GATEWAY_KEY_FILE } from "../kernel/secrets/key-file-names.ts";

export interface Announcement {
  readonly url: URL;
  readonly keys: FirstKeys;
  /** Why the control plane is closed to the admin key. */
  readonly closed: string | undefined;
  readonly settings: Settings;
  readonly generation: Generation;
  /** One of several workers: another prints the address. */
  readonly quiet: boolean;
}

/** What a person needs to go on: where it listens, and at the first start the keys and a line to copy. */
export function announce({ url, keys, closed, settings, generation, quiet }: Announcement): void {
  const base = url.href.replace(/\/$/, "");
  if (!quiet) console.log(addresses(base, generation));
  if (keys) console.log(firstWords(base, { ...keys, closed }, settings, generation));
}

function addresses(base: string, { console: page, plugins, health }: Generation): string {
  const parts = [...health()];
  const degraded = parts.flatMap(([name, part]) => part.degraded.map((sentence) => `  degraded: ${name}: ${sentence}`));
  const lacking = parts.flatMap(([name, part]) => (part.lacking ?? []).map((sentence) => `  lacking: ${name}: ${sentence}`));
  const failed = plugins.filter(({ state }) => state === "failed");
  return [
    `The gateway listens on ${base}`,
    `  base URL   ${base}/v1`,
    ...(page ? [`  console    ${base}${page.mount}`] : []),
    `  API        ${base}/docs`,
    ...failed.map(({ name, why }) => `  not running: ${name}: ${why}`),
    ...degraded,
    ...lacking,
  ].join("\n");
}

type Keys = NonNullable<FirstKeys> & Pick<Announcement, "closed">;

function firstWords(base: string, keys: Keys, settings: Settings, generation: Generation): string {
  const admin = shownKey(keys.admin, "adminKey", settings);
  const gateway = shownKey(keys.gateway, "apiKey", settings);
  const try_ = exampleOf(base, gateway.inShell, generation);
  const made = [admin, gateway].some(({ preset }) => !preset);
  return [
    "",
    made ? "First start. Keys that were made for you are in files that only you can read:" : "First start, with the keys you set:",
    `  admin key    ${admin.says}   (${join(settings.dataDir, ADMIN_KEY_FILE)})`,
    ...(keys.closed === undefined ? [] : [`               refused for now: ${keys.closed}`]),
    `  gateway key  ${gateway.says}   (${join(settings.dataDir, GATEWAY_KEY_FILE)})`,
    ...(try_ === undefined ? [] : ["", "Try it:", try_]),
    "",
  ].join("\n");
}

interface ShownKey {
  readonly preset: boolean;
  readonly says: string;
  /** As a line to copy names it. */
  readonly inShell: string;
}
/** A key that its operator chose is known to them, and printed nowhere. */
function shownKey(key: string, setting: "adminKey" | "apiKey", settings: Settings): ShownKey {
  const { env } = SETTINGS[setting];
  if (settings[setting] === undefined) return { preset: false, says: key, inShell: key };
  return { preset: true, says: `taken from ${env}`, inShell: `$${env}` };
}

/** A line to copy that needs no account. */
function exampleOf(base: string, key: string, { providers }: Generation): string | undefined {
  const offline = offlineChat(providers);
  if (!offline) return undefined;
  const { provider, body } = offline;
  return `  curl ${base}/v1/chat/completions -H "x-gateway-api-key: ${key}" -H "x-gateway-provider: ${provider}" -H "content-type: application/json" -d '${JSON.stringify(body)}'`;
}
