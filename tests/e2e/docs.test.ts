/** `/docs`: a page that loads nothing from anywhere else, and the one script that it loads from here. */
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SCRIPT_PATH } from "../../core/http/docs-script.ts";
import { type GatewayProcess, startGateway } from "./process.ts";

let gateway: GatewayProcess;
let page: Response;
let html: string;
beforeAll(async () => {
  gateway = await startGateway();
  page = await get("/docs");
  html = await page.text();
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
});

/** As a client that takes whatever encoding it names, and nothing unpacked on the way. */
const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(gateway.base + path, { headers: { "accept-encoding": "identity", ...headers }, decompress: false });

describe("the page", () => {
  test("is HTML that a client asks for again, and gets again only when it is another", async () => {
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const again = await get("/docs", { "if-none-match": page.headers.get("etag") ?? "" });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(again.headers.get("content-security-policy")).toBe(page.headers.get("content-security-policy"));
    expect((await get("/docs", { "if-none-match": '"another"' })).status).toBe(200);
  });
  test("names no other host, and loads one script, which this gateway has", () => {
    expect(html).not.toMatch(/https?:|\/\/[a-z0-9]|url\(|@import|<link/i);
    expect([...html.matchAll(/\ssrc="([^"]*)"/g)].map(([, source = ""]) => new URL(source, page.url).pathname)).toEqual([SCRIPT_PATH]);
  });
  test("may load and run nothing but that and what stands in it", () => {
    const policy = new Map((page.headers.get("content-security-policy") ?? "").split("; ").map((rule) => cut(rule, " ")));
    const inline = [...html.matchAll(/<script[^>]*>([^<]*)<\/script>/g)].map(([, code = ""]) => code).filter((code) => code !== "");
    const hashes = inline.map((code) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`);
    expect(hashes).not.toBeEmpty();
    expect(policy.get("default-src")).toBe("'none'");
    expect(policy.get("script-src")).toBe(["'self'", ...hashes].join(" "));
    expect(policy.get("connect-src")).toBe("'self'");
    for (const sources of policy.values()) expect(sources).toMatch(/^('(none|self|unsafe-inline|sha256-[\w+/=]+)'|data:|blob:| )+$/);
    expect([...policy].filter(([, sources]) => sources.includes("unsafe-inline")).map(([kind]) => kind)).toEqual(["style-src"]);
  });
  test("reads our document, with foreign fonts, telemetry and the assistant off, and keeps no key", () => {
    const [, configuration = ""] = /data-configuration='([^']*)'/.exec(html) ?? [];
    expect(JSON.parse(configuration)).toMatchObject({
      spec: { url: "openapi.json" },
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      persistAuth: false,
    });
  });
});

describe("the page's script", () => {
  test("is kept for good by whoever has it: its version is in its path", async () => {
    const script = await get(SCRIPT_PATH);
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(SCRIPT_PATH).toMatch(/-\d+\.\d+\.\d+\.js$/);
    const text = await script.text();
    expect(text).toContain(`@scalar/api-reference ${/-([\d.]+)\.js$/.exec(SCRIPT_PATH)?.[1] ?? "?"}`);
  });
  test("is compressed where the client takes that, and the same behind it", async () => {
    const [packed, whole] = await Promise.all([get(SCRIPT_PATH, { "accept-encoding": "br, gzip;q=0.5" }), get(SCRIPT_PATH)]);
    expect([packed.headers.get("content-encoding"), whole.headers.get("content-encoding")]).toEqual(["gzip", null]);
    expect([packed, whole].map(({ headers }) => headers.get("vary"))).toEqual(["accept-encoding", "accept-encoding"]);
    const [small, large] = await Promise.all([packed.bytes(), whole.bytes()]);
    expect(small.length * 3).toBeLessThan(large.length);
    expect(Buffer.from(gunzipSync(small)).equals(large)).toBeTrue();
    expect((await get(SCRIPT_PATH, { "accept-encoding": "gzip;q=0, br" })).headers.get("content-encoding")).toBeNull();
  });
  test.each(["gzip", "identity"])("is not sent again to who has it (%s)", async (encoding) => {
    const headers = { "accept-encoding": encoding };
    const etag = (await get(SCRIPT_PATH, headers)).headers.get("etag") ?? "";
    const again = await get(SCRIPT_PATH, { ...headers, "if-none-match": `"older", W/${etag}` });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    const other = { "accept-encoding": encoding === "gzip" ? "identity" : "gzip", "if-none-match": etag };
    expect((await get(SCRIPT_PATH, other)).status).toBe(200);
  });
});

const cut = (text: string, at: string): [string, string] => [text.slice(0, text.indexOf(at)), text.slice(text.indexOf(at) + 1)];
