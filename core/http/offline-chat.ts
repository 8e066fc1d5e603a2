import type { Json } from "#contract";
import type { Generation } from "../kernel/generation.ts";

/** A provider that answers chat without an account, and a body for it. */
export interface OfflineChat {
  readonly provider: string;
  readonly body: Json;
}

/** A first request that works anywhere: to a provider that serves chat and calls nobody, if one runs. */
export function offlineChat(providers: Generation["providers"]): OfflineChat | undefined {
  const offline = [...providers.values()].find(
    ({ manifest, provides }) => (manifest.needs ?? []).length === 0 && provides.operations.chatComplete?.answer,
  );
  if (!offline) return undefined;
  const provider = offline.manifest.id;
  return { provider, body: { model: offline.provides.models?.[0] ?? provider, messages: [{ role: "user", content: "Hello" }] } };
}
