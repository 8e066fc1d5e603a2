import type { Vault } from "./capability.ts";
import type { Json } from "./json.ts";
import { sealedIn } from "./moved-secret.ts";
import { nextTurn } from "./next-turn.ts";

/** Secrets that are opened in one go. */
const AT_ONCE = 100;

/**
 * The same vault for one request, which opens no secret twice, nor one that it sealed. Those of the config as it is stored
 * are opened here, some at a time: a config may hold a thousand.
 */
export async function openedVault(stored: Json, vault: Vault): Promise<Vault> {
  const plains = new Map<string, string>();
  const open = (sealed: string): string => {
    const plain = plains.get(sealed) ?? vault.open(sealed);
    plains.set(sealed, plain);
    return plain;
  };
  const seal = (plain: string): string => {
    const sealed = vault.seal(plain);
    plains.set(sealed, plain);
    return sealed;
  };
  let count = 0;
  for (const { sealed } of sealedIn(stored)) {
    open(sealed);
    if (++count % AT_ONCE === 0) await nextTurn();
  }
  return { ...vault, open, seal };
}
