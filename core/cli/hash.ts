import { resolve } from "node:path";
import { pluginName } from "#contract";
import { readPlugin } from "../kernel/external.ts";
import { UsageError } from "./help.ts";

/** `gateway hash <folder>`: the content hash of a plugin, as a profile pins it. Runs none of its code. */
export async function hash(args: readonly string[]): Promise<number> {
  const [folder, ...more] = args;
  if (folder === undefined || more.length > 0)
    throw new UsageError("gateway hash takes the folder of one plugin, the one with its manifest.json.");
  const { manifest, hash: found } = await readPlugin(resolve(folder, "manifest.json"));
  console.log(found);
  console.error(`In the profile: "plugins": { "${pluginName(manifest)}": { "hash": "${found}" } }`);
  return 0;
}
