/** How tests ask a gateway how it is doing. Processes that were started end with the test. */
import { expect } from "bun:test";
import { type Answer, ask, type GatewayProcess, startGateway, type StartOptions, until } from "./process.ts";

export const ends: (() => unknown)[] = [];
/** For `afterEach` of the file that starts them: a hook of this module would belong to whichever file loads it first. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
export async function start(options: StartOptions = {}): Promise<GatewayProcess> {
  const gateway = await startGateway(options);
  ends.push(async () => {
    await gateway.stop("SIGKILL");
    gateway.remove();
  });
  return gateway;
}
interface Ready {
  readonly status: string;
  readonly degraded: readonly { readonly part: string; readonly why: string }[];
}
export const get = (
  gateway: GatewayProcess,
  path: string,
  key: string | null = null,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => ask(gateway.base + path, "GET", key, undefined, headers);
export async function readiness(gateway: GatewayProcess): Promise<Ready & { readonly code: number }> {
  const { status: code, json } = await get(gateway, "/readyz");
  return { code, ...(json as unknown as Ready) };
}
/** Still served, and this part is said to be degraded. */
export const degradedPart = (gateway: GatewayProcess, part: string, within = 20_000) =>
  until(
    `${part} is degraded`,
    async () => {
      const ready = await readiness(gateway);
      expect(ready.code).toBe(200);
      return ready.status === "degraded" && ready.degraded.find((one) => one.part === part);
    },
    within,
  );
/** A machine that is busy elsewhere may hold the whole process for more than a second, which is said for five minutes. */
export const butForTheMachine = ({ degraded }: Pick<Ready, "degraded">): Ready["degraded"] =>
  degraded.filter(({ part }) => part !== "event_loop");
export const isReady = (gateway: GatewayProcess): Promise<unknown> =>
  until(
    "it is ready again",
    async () => {
      const ready = await readiness(gateway);
      return ready.code === 200 && butForTheMachine(ready).length === 0;
    },
    40_000,
  );
