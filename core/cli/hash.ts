import { resolve } from "node:path";
import { pluginName } from "#contract";
import { readPlugins } from "../kernel/discovery/external.ts";
import { readWords } from "./options.ts";
import { UsageError } from "./usage.ts";

/** `gateway hash <folder>`: the content hash of a plugin, as a profile pins it. Runs none of its code. */
export async function hash(args: readonly string[]): Promise<number> {
  const [folder, ...more] = readWords("hash", args).words;
  if (folder === undefined || more.length > 0)
    throw new UsageError("gateway hash takes the folder of one plugin, the one with its manifest.json.", "hash");
  const found = await readPlugins(resolve(folder, "manifest.json"));
  console.log(found[0]?.hash);
  const entries = found.map(({ manifest, hash: content }) => `"${pluginName(manifest)}": { "hash": "${content}" }`);
  console.error(`In the profile: "plugins": { ${entries.join(", ")} }`);
  return 0;
}
