import { narrowGatewayKey, wideScopes } from "./first-start.ts";
import type { Generation } from "../kernel/generation.ts";
import { readVerb } from "./options.ts";
import { withGeneration } from "./with-generation.ts";

/** `gateway keys narrow`: beside a running deployment, whose processes hear of it at once. */
export async function keys(args: readonly string[]): Promise<number> {
  const { settings } = readVerb("keys", args, "narrow");
  return withGeneration(settings, { keepsTables: true }, (generation, { now }) => narrow(generation, now()));
}

async function narrow({ stores }: Generation, now: number): Promise<number> {
  const wide = await wideScopes(stores.records);
  if (wide.length > 0 && (await narrowGatewayKey(stores.records, now)))
    console.log(`The first gateway key now holds the data plane and nothing else. It gave up ${wide.length} scopes: ${wide.join(", ")}`);
  else console.log("Nothing to narrow: the first gateway key holds nothing beyond the data plane, or is gone.");
  return 0;
}
