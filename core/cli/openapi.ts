import { readOptions } from "./options.ts";
import { withEmptyStore } from "./with-empty-store.ts";

/** `gateway openapi`: prints what this deployment would serve. */
export async function openapi(args: readonly string[]): Promise<number> {
  const { settings } = readOptions("openapi", args);
  const [document, { INFO }] = await Promise.all([import("../http/openapi.ts"), import("../http/public.ts")]);
  console.log(JSON.stringify(await withEmptyStore(settings, (generation) => document.openapi(generation, INFO)), null, 2));
  return 0;
}
