import { pluginName } from "#contract";
import { isUp, type Member } from "../member.ts";
import { secretsWanted } from "./missing-secrets.ts";
import { type SecretParts, secretsFor } from "./secrets.ts";

/** Looks for every secret that a running plugin needs, before a request does: what is missing is remembered and said. */
export async function lookForSecrets(members: readonly Member[], parts: SecretParts): Promise<void> {
  const wanted = members.filter(isUp).flatMap(({ candidate: { manifest } }) => secretsWanted(manifest).map((name) => ({ manifest, name })));
  const looks = wanted.map(({ manifest, name }) => secretsFor(pluginName(manifest), new Set([name]), parts).read(name));
  await Promise.allSettled(looks);
}

const AGAIN_MS = 2_000;
/** Looks again when somebody asks how plugins are doing; at most every two seconds, and without being waited for. */
export function lookingAgain(members: readonly Member[], parts: SecretParts, now: () => number): () => void {
  let lookedAt = now();
  return () => {
    const lacking = members.filter(({ candidate }) => parts.missing.of(candidate.manifest).length > 0);
    if (lacking.length === 0 || now() - lookedAt < AGAIN_MS) return;
    lookedAt = now();
    void lookForSecrets(lacking, parts);
  };
}
