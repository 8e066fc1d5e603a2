import { userInfo } from "node:os";
import { acting, commandLine } from "../kernel/audit/acting.ts";
import type { Generation } from "../kernel/generation.ts";
import { startGenerations } from "../kernel/reload/generations.ts";
import type { Settings } from "../kernel/settings/settings.ts";
import { createRuntime, type Runtime } from "./runtime.ts";

/** Who runs the command, by the name that the system has for that. */
function user(): string {
  try {
    return userInfo().username;
  } catch {
    return "unnamed"; // a container may run as a user that the system does not know
  }
}

/**
 * Boots the deployment as these settings say, serving nobody, for a command that works on it, and ends it again. With
 * `keepsTables` its tables are left as they are: where they are not this build's, it is refused.
 */
export async function withGeneration<T>(
  settings: Settings,
  { keepsTables }: { readonly keepsTables: boolean },
  work: (generation: Generation, runtime: Runtime) => T | Promise<T>,
): Promise<T> {
  const runtime = createRuntime(settings, keepsTables);
  const generations = await startGenerations({
    build: runtime.build,
    attach: () => undefined,
    detach: async () => undefined,
    log: runtime.log.log,
    redact: runtime.log.redact,
    parts: runtime.parts,
    idleLimitMs: 0,
  });
  try {
    return await acting(commandLine(user()), () => work(generations.current.generation, runtime));
  } finally {
    await generations.close();
    await runtime.compute.close();
  }
}
