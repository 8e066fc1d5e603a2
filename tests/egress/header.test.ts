import { expect, test } from "bun:test";
import { headerClasses } from "#contract";
import { HOP_HEADER, isLoop } from "../../core/egress/loop.ts";
import { OTHER, OWN, asking, codeOf, egressWith, httpReply, rawServer } from "./support.ts";

test("what must stay here does not leave, and the rest does", async () => {
  const server = await rawServer((socket) => socket.end(httpReply("ok")));
  const headers = Object.freeze({
    authorization: "Bearer provider-key",
    "content-type": "application/json",
    "x-custom": "kept",
    "x-api-key": "dropped: named by connection",
    connection: "close, X-Api-Key",
    "keep-alive": "timeout=5",
    te: "trailers",
    trailer: "x",
    upgrade: "h2c",
    "proxy-authorization": "Basic x",
    "transfer-encoding": "chunked",
    "content-length": "999",
    host: "evil.example.com",
    cookie: "session=1",
    "x-gateway-api-key": "gateway-secret",
    "x-gateway-config": "{}",
    "x-acme-config": "1",
  });
  const egress = egressWith({ trustedHosts: ["127.0.0.1"], headers: headerClasses(["X-Acme-"]) });
  await (await egress.send(asking(`http://127.0.0.1:${server.port}/`, { method: "POST", headers, body: "{}" }))).text();
  const seen = new Map(
    server.received
      .split("\r\n\r\n")[0]
      ?.split("\r\n")
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)] as const),
  );
  expect(seen.get("authorization")).toBe("Bearer provider-key");
  expect(seen.get("x-custom")).toBe("kept");
  expect(seen.get("host")).toBe(`127.0.0.1:${server.port}`);
  expect(seen.get("content-length")).toBe("2");
  expect(seen.get(HOP_HEADER)).toBe(OWN);
  for (const gone of [
    "x-api-key",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "proxy-authorization",
    "transfer-encoding",
    "cookie",
    "x-gateway-api-key",
    "x-gateway-config",
    "x-acme-config",
  ])
    expect(seen.has(gone)).toBe(false);
  expect(headers.cookie).toBe("session=1"); // the caller's object is left alone
  server.close();
});

test.each([{ "x-custom": "a\r\nx-injected: b" }, { "x-custom\r\nx-injected": "b" }])(
  "a header cannot start a new line: nothing of %j is sent",
  async (headers) => {
    const server = await rawServer((socket) => socket.end(httpReply("ok")));
    const sending = egressWith({ trustedHosts: ["127.0.0.1"] }).send(asking(`http://127.0.0.1:${server.port}/`, { headers }));
    expect(await codeOf(sending)).toBe("UPSTREAM_UNREACHABLE");
    expect(server.received).toBe("");
    server.close();
  },
);

test("a gateway that calls itself is noticed at the first hop, over others at the hop that comes back", async () => {
  const server = await rawServer((socket) => socket.write(httpReply("ok")));
  const hop = async (hops: string | null): Promise<Headers> => {
    const before = server.received.length;
    await (await egressWith({ trustedHosts: ["127.0.0.1"] }).send(asking(`http://127.0.0.1:${server.port}/`, { hops }))).text();
    return new Headers({ [HOP_HEADER]: /x-gateway-hop: (.*)\r/i.exec(server.received.slice(before))?.[1] ?? "" });
  };
  expect(isLoop(new Headers(), OWN)).toBe(false);
  expect(isLoop(await hop(null), OWN)).toBe(true);
  const viaOther = await hop(OTHER);
  expect(viaOther.get(HOP_HEADER)).toBe(`${OTHER}, ${OWN}`);
  expect([isLoop(viaOther, OTHER), isLoop(viaOther, "third")]).toEqual([true, false]);
  expect(isLoop(new Headers({ [HOP_HEADER]: Array.from({ length: 9 }, (_, index) => `g${index}`).join(",") }), "third")).toBe(true);
  server.close();
});

test("the mark against loops goes to trusted hosts alone: a vendor learns nothing of this gateway, nor of those before", async () => {
  const server = await rawServer((socket) => socket.end(httpReply("ok")));
  const sentTo = async (url: string, trustedHosts: string[]): Promise<string> => {
    const before = server.received.length;
    const egress = egressWith({ trustedHosts, resolve: async () => ["127.0.0.1"], isPublic: () => true });
    await (await egress.send(asking(url, { hops: OTHER }))).text();
    return server.received.slice(before);
  };
  const vendor = await sentTo(`http://api.vendor.com:${server.port}/`, []);
  expect(vendor).toContain(`Host: api.vendor.com:${server.port}`);
  expect(vendor).not.toMatch(new RegExp(`hop|${OTHER}|${OWN}`, "i"));
  const trusted = [`http://127.0.0.1:${server.port}/`, `http://localhost:${server.port}/`];
  for (const url of trusted)
    expect(await sentTo(url, ["127.0.0.1", "localhost"])).toMatch(new RegExp(`x-gateway-hop: ${OTHER}, ${OWN}`, "i"));
  server.close();
});
