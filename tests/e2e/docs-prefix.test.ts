/** `/docs` below a path prefix: a reverse proxy serves the gateway at `/gw/`, and nothing else on its host. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

let gateway: GatewayProcess;
let proxy: Bun.Server<undefined>;
/** Where the page stands for a browser. */
let page: URL;
beforeAll(async () => {
  gateway = await startGateway();
  proxy = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: passOn });
  page = new URL("/gw/docs", proxy.url);
}, 30_000);
afterAll(async () => {
  await proxy.stop(true);
  await gateway.stop();
  gateway.remove();
});

function passOn(request: Request): Response | Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (!pathname.startsWith("/gw/")) return new Response("no gateway here", { status: 404 });
  const { method, headers, body } = request;
  return fetch(gateway.base + pathname.slice("/gw".length) + search, { method, headers, body, redirect: "manual" });
}

const ask = (base: string, more: RequestInit = {}): Promise<Response> =>
  fetch(`${base}/v1/chat/completions`, {
    method: "POST",
    headers: { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": "sandbox", "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox-echo", messages: [{ role: "user", content: "Hello" }] }),
    ...more,
  });

interface Configuration {
  readonly spec: { readonly url: string };
  readonly servers: readonly { readonly url: string }[];
}
/** What the page's script finds as its configuration, once the page's own few lines have run at this address. */
async function configurationAt(address: URL): Promise<Configuration> {
  const html = await (await fetch(address)).text();
  const attributes = new Map([["data-configuration", /data-configuration='([^']*)'/.exec(html)?.[1] ?? ""]]);
  const element = {
    getAttribute: (name: string) => attributes.get(name),
    setAttribute: (name: string, value: string) => attributes.set(name, value),
  };
  const document = { getElementById: (id: string) => (id === "api-reference" ? element : null) };
  const scripts = [...html.matchAll(/<script[^>]*>([^<]*)<\/script>/g)].map(([, code = ""]) => code);
  for (const code of scripts) new Function("document", "location", code)(document, address);
  return JSON.parse(attributes.get("data-configuration") ?? "") as Configuration;
}

describe("the page", () => {
  test("loads its script from below the prefix", async () => {
    const html = await (await fetch(page)).text();
    const [, source = ""] = /\ssrc="([^"]*)"/.exec(html) ?? [];
    const script = await fetch(new URL(source, page));
    expect([script.status, script.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
  });
  test("reads the document from below the prefix, and sends what is tried there", async () => {
    const { spec, servers } = await configurationAt(page);
    const document = (await (await fetch(new URL(spec.url, page))).json()) as { readonly openapi: string };
    expect(document.openapi).toBe("3.1.0");
    expect(servers.map(({ url }) => url)).toEqual([`${proxy.url.origin}/gw`]);
    expect((await ask(servers[0]?.url ?? "")).status).toBe(200);
  });
  test("does so without a prefix too", async () => {
    const { spec, servers } = await configurationAt(new URL("/docs", gateway.base));
    expect(spec.url).toBe(`${gateway.base}/openapi.json`);
    expect(servers).toEqual([{ url: gateway.base }]);
  });
  test("asked for as a folder, is where its addresses are right", async () => {
    expect((await fetch(`${page.href}/`)).url).toBe(page.href);
    expect((await fetch(`${gateway.base}/docs/`)).url).toBe(`${gateway.base}/docs`);
  });
});

test("the document says that the API is where it was read", async () => {
  const at = new URL("/gw/openapi.json", proxy.url);
  const { servers } = (await (await fetch(at)).json()) as { readonly servers: readonly { readonly url: string }[] };
  expect(servers.map(({ url }) => new URL(url, at).href)).toEqual([`${proxy.url.origin}/gw/`]);
});
