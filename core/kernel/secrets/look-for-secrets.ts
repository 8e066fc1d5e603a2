import { pluginName } from "#contract";
import { type DeployedPlugin, isUp } from "../life.ts";
import { secretsWanted } from "./missing-secrets.ts";
import { type SecretParts, secretsFor } from "./secrets.ts";

/** Looks for every secret that a running plugin needs, before a request does: what is missing is remembered and said. */
export async function lookForSecrets(plugins: readonly DeployedPlugin[], parts: SecretParts): Promise<void> {
  const wanted = plugins.filter(isUp).flatMap(({ manifest }) => secretsWanted(manifest).map((name) => ({ manifest, name })));
  const looks = wanted.map(({ manifest, name }) => secretsFor(pluginName(manifest), new Set([name]), parts).read(name));
  await Promise.allSettled(looks);
}

const AGAIN_MS = 2_000;
/** Looks again when somebody asks how plugins are doing; at most every two seconds, and without being waited for. */
export function lookingAgain(plugins: readonly DeployedPlugin[], parts: SecretParts, now: () => number): () => void {
  let lookedAt = now();
  return () => {
    const lacking = plugins.filter(({ manifest }) => parts.missing.of(manifest).length > 0);
    if (lacking.length === 0 || now() - lookedAt < AGAIN_MS) return;
    lookedAt = now();
    void lookForSecrets(lacking, parts);
  };
}
