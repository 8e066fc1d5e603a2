/** Where the memory budget is taken, clients are told so, and when to come back, while they are still sending. */
import { expect, test } from "bun:test";
import http from "node:http";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

const BODY = Buffer.from(
  JSON.stringify({ model: "m", sandbox: { latency_ms: 2_000 }, messages: [{ role: "user", content: "a".repeat(12 * 1024 * 1024) }] }),
);

/** Its status and `retry-after`, or how its connection broke. */
const post = ({ port }: GatewayProcess, isDeclared: boolean): Promise<readonly [status: number | string, retryAfter: string | undefined]> =>
  new Promise((resolve) => {
    const headers = {
      ...{ "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": "sandbox", "content-type": "application/json" },
      ...(isDeclared && { "content-length": BODY.length }),
    };
    const request = http.request({ host: "127.0.0.1", port, path: "/v1/chat/completions", method: "POST", headers }, (response) => {
      response.resume().on("end", () => resolve([response.statusCode ?? 0, response.headers["retry-after"]]));
    });
    request.on("error", ({ message }) => resolve([message, undefined]));
    request.flushHeaders();
    request.end(BODY);
  });

test.each([true, false])(
  "of twenty long requests at once those that find no room are told 503, and when to try again: length declared %p",
  async (isDeclared) => {
    const gateway = await startGateway({ env: { GATEWAY_MEMORY_MB: "64" } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(gateway, isDeclared)));
    expect(answers.filter(([status]) => status !== 200 && status !== 503)).toEqual([]);
    expect(answers).toContainEqual([503, "2"]);
    expect((await post(gateway, isDeclared))[0]).toBe(200);
    await gateway.stop();
    gateway.remove();
  },
  30_000,
);
