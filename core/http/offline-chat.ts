import type { Json, OperationName } from "#contract";
import type { Generation } from "../kernel/generation.ts";

/** A provider that answers chat without an account, and a body for it. */
export interface OfflineChat {
  readonly provider: string;
  readonly body: Json;
}

/** A first request that works anywhere: to a provider that serves chat and calls nobody, if one runs. */
export function offlineChat(providers: Generation["providers"]): OfflineChat | undefined {
  const offline = answering("chatComplete", providers);
  if (!offline) return undefined;
  const provider = offline.manifest.id;
  return { provider, body: { model: offline.provides.models?.[0] ?? provider, messages: [{ role: "user", content: "Hello" }] } };
}

/** The id of a provider that answers an operation without an account, if one runs. */
export const offlineProvider = (operation: OperationName, providers: Generation["providers"]): string | undefined =>
  answering(operation, providers)?.manifest.id;

const answering = (operation: OperationName, providers: Generation["providers"]) =>
  [...providers.values()].find(({ manifest, provides }) => (manifest.needs ?? []).length === 0 && provides.operations[operation]?.answer);
