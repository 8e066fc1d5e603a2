/** Pages of other origins: what a browser is told, as the operator set it. */
import { afterAll, describe, expect, test } from "bun:test";
import { type GatewayProcess, startGateway } from "./process.ts";

const started: GatewayProcess[] = [];
const gatewayWith = async (env: Record<string, string>): Promise<GatewayProcess> => {
  const gateway = await startGateway({ env });
  started.push(gateway);
  return gateway;
};
afterAll(async () => {
  for (const gateway of started) {
    await gateway.stop();
    gateway.remove();
  }
});

const PAGE = "https://app.example";
/** What a browser would send before it asks. */
const asksFirst = ({ base }: GatewayProcess, origin: string): Promise<Response> =>
  fetch(`${base}/v1/chat/completions`, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type,x-gateway-api-key" },
  });
const asks = (gateway: GatewayProcess, origin: string, key = gateway.gatewayKey): Promise<Response> =>
  fetch(`${gateway.base}/v1/chat/completions`, {
    method: "POST",
    headers: { origin, "content-type": "application/json", "x-gateway-api-key": key, "x-gateway-provider": "sandbox" },
    body: JSON.stringify({ model: "sandbox-echo", messages: [{ role: "user", content: "Hello" }] }),
  });
const corsHeaders = ({ status, headers }: Response): Record<string, string | number | null> => ({
  status,
  origin: headers.get("access-control-allow-origin"),
  methods: headers.get("access-control-allow-methods"),
  headers: headers.get("access-control-allow-headers"),
  exposed: headers.get("access-control-expose-headers"),
  vary: headers.get("vary"),
  cookies: headers.get("access-control-allow-credentials"),
});
const NOTHING = { origin: null, methods: null, headers: null, exposed: null, vary: null, cookies: null };

describe("pages of other origins", () => {
  test("are told nothing unless the operator names origins", async () => {
    const gateway = await gatewayWith({});
    expect(corsHeaders(await asksFirst(gateway, PAGE))).toEqual({ ...NOTHING, status: 405 });
    expect(corsHeaders(await asks(gateway, PAGE))).toEqual({ ...NOTHING, status: 200 });
  });
  test("may ask from the origins that are named, and read errors too", async () => {
    const gateway = await gatewayWith({
      CORS_ALLOWED_ORIGINS: "https://other.example, https://App.Example:443",
      CORS_ALLOWED_HEADERS: "*",
    });
    const all = { ...NOTHING, origin: PAGE, vary: "origin" };
    expect(corsHeaders(await asksFirst(gateway, PAGE))).toEqual({
      ...all,
      status: 204,
      methods: "GET, POST, PUT, PATCH, DELETE",
      headers: "content-type,x-gateway-api-key",
    });
    expect(corsHeaders(await asks(gateway, PAGE))).toEqual({ ...all, status: 200, exposed: "*" });
    expect(corsHeaders(await asks(gateway, PAGE, "nobody"))).toEqual({ ...all, status: 401, exposed: "*" });
    for (const stranger of ["https://evil.example", `${PAGE}.evil.example`, "null"]) {
      expect(corsHeaders(await asksFirst(gateway, stranger))).toEqual({ ...NOTHING, status: 204, vary: "origin" });
      expect(corsHeaders(await asks(gateway, stranger))).toEqual({ ...NOTHING, status: 200, vary: "origin" });
    }
  });
  test("may do what is set, from all origins", async () => {
    const gateway = await gatewayWith({
      ...{ CORS_ALLOWED_ORIGINS: "*", CORS_ALLOWED_METHODS: "POST", CORS_ALLOWED_HEADERS: "content-type" },
      CORS_EXPOSE_HEADERS: "x-gateway-trace-id, retry-after",
    });
    const all = { ...NOTHING, origin: "*" };
    expect(corsHeaders(await asksFirst(gateway, PAGE))).toEqual({ ...all, status: 204, methods: "POST", headers: "content-type" });
    expect(corsHeaders(await asks(gateway, PAGE))).toEqual({ ...all, status: 200, exposed: "x-gateway-trace-id, retry-after" });
  });
});
