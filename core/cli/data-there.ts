import { readdirSync } from "node:fs";
import type { Settings } from "../kernel/settings/settings.ts";
import { CommandFailed } from "./usage.ts";
import { SERVER_VARIABLES } from "./with-empty-store.ts";

/** For commands that work on what is there: without it they would make an empty database, and find nothing in it. */
export function refuseNoData({ dataDir, env }: Settings): void {
  if (SERVER_VARIABLES.some((name) => (env[name] ?? "") !== "") || !isEmpty(dataDir)) return;
  throw new CommandFailed(
    `There is no gateway's data in ${dataDir}, and nothing was written there. Say where it is with GATEWAY_DATA_DIR, or with ${SERVER_VARIABLES[0]}.`,
  );
}
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true; // it is not there
  }
}
