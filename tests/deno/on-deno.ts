/** The gateway and other programs of the tree on Deno, as a user would start them. */
import { join } from "node:path";
import { type GatewayProcess, type StartOptions, startGateway } from "../e2e/process.ts";

const ROOT = join(import.meta.dir, "../..");
const RUN: readonly string[] = [join(ROOT, "node_modules/.bin/deno"), "run", "--quiet", "--allow-all"];

export const gatewayOnDeno = (options: StartOptions = {}): Promise<GatewayProcess> =>
  startGateway({ ...options, command: [...RUN, join(ROOT, "core/main.ts")] });

/** What a command of the gateway prints, and the code it ends with. */
export async function endedOnDeno(args: readonly string[]): Promise<{ readonly code: number; readonly printed: string }> {
  const child = Bun.spawn([...RUN, join(ROOT, "core/main.ts"), ...args], { stdout: "ignore", stderr: "pipe" });
  return { printed: await new Response(child.stderr).text(), code: await child.exited };
}

/** What a module beside this one prints: one JSON value. */
export async function printedOnDeno(module: string, args: readonly string[]): Promise<unknown> {
  const child = Bun.spawn([...RUN, join(import.meta.dir, module), ...args], { stdout: "pipe", stderr: "inherit" });
  return JSON.parse(await new Response(child.stdout).text());
}
