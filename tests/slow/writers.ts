/** Load that notes what it was promised: an id counts once its 200 was read. */
import { setTimeout as pause } from "node:timers/promises";
import { ADMIN_KEY, ask, chat, type GatewayProcess } from "../e2e/process.ts";

export interface Promised {
  /** Ids of rate-limit policies. */
  readonly acknowledged: string[];
  /** Ids of requests whose log record was seen. */
  readonly logged: string[];
}

const policy = (name: string): Record<string, unknown> => ({
  name,
  workspace_id: "default",
  type: "requests",
  unit: "rpd",
  value: 1_000_000,
  conditions: [{ key: "api_key", value: "*" }],
  group_by: [{ key: "api_key" }],
});

/** Writes and asks until the gateway is gone, or `signal` says so. */
export async function writeUntilGone(gateway: GatewayProcess, promised: Promised, signal?: AbortSignal): Promise<void> {
  const { acknowledged, logged } = promised;
  const writer = async (): Promise<void> => {
    while (!signal?.aborted) {
      const name = `p-${crypto.randomUUID()}`;
      const made = await ask(`${gateway.base}/v2/policies/rate-limits`, "POST", ADMIN_KEY, policy(name)).catch(() => undefined);
      if (made?.status !== 200) return;
      acknowledged.push(String(made.json["id"]));
    }
  };
  const reader = async (): Promise<void> => {
    while (!signal?.aborted) {
      const answer = await chat(gateway, {}).catch(() => undefined);
      if (answer?.status !== 200) return;
      const id = answer.headers.get("x-gateway-trace-id") ?? "";
      if (await isLogged(gateway, id)) logged.push(id);
    }
  };
  await Promise.all([writer(), writer(), writer(), reader(), reader()]);
}

/** Waits for the record as long as the gateway answers. */
async function isLogged(gateway: GatewayProcess, id: string): Promise<boolean> {
  for (;;) {
    const found = await ask(`${gateway.base}/v1/logs/${id}`, "GET", gateway.gatewayKey).catch(() => undefined);
    if (found?.status !== 404) return found?.status === 200;
    await pause(10); // the gateway has better to do than to be asked
  }
}
