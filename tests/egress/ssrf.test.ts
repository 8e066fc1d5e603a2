import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { isPublicAddress } from "../../core/egress/address.ts";
import { asking, codeOf, egressWith, httpReply, type RawServer, rawServer } from "./support.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === "::1"));
/** A server on 127.0.0.1 that no request of this file may ever reach. */
let canary: RawServer;
beforeAll(async () => {
  canary = await rawServer((socket) => socket.end(httpReply("secret")));
});
afterAll(() => canary.close());

const FORBIDDEN_HOSTS = [
  "127.0.0.1",
  "127.1.2.3",
  "127.0.0.1.",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "0.0.0.0",
  "0",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "169.254.1.1",
  "100.64.0.1",
  "100.127.255.255",
  "100.100.100.200",
  "192.0.0.1",
  "192.0.0.192",
  "192.0.2.1",
  "198.51.100.1",
  "203.0.113.1",
  "198.18.0.1",
  "198.19.255.255",
  "192.88.99.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "0.1.2.3",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:8.8.8.8]",
  "[::127.0.0.1]",
  "[::8.8.8.8]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::a00:1]",
  "[64:ff9b:1::8.8.8.8]",
  "[2002:7f00:1::]",
  "[2002:808:808::1]",
  "[2001::1]",
  "[2001:db8::1]",
  "[2001:10::1]",
  "[100::1]",
  "[100:0:0:1::1]",
  "[3fff::1]",
  "[5f00::1]",
  "[4000::1]",
  "[::ffff:0:127.0.0.1]",
  "[fe80::1%eth0]",
  "[fe80::1%25eth0]",
  "[::1",
  "::1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "127.1",
  "127.0.1",
  "127.0.0.01",
  "0x7f.1",
  "1.2.3.4.5",
  "256.0.0.1",
  "0x",
  "１２７.0.0.1",
  "127。0。0。1",
  "①②⑦.0.0.1",
  "bücher.example.com",
  "xn--bcher-kva.example.com",
  "a.xn--p1ai",
  "ⓔxample.com",
  "user@example.com",
  "user:secret@example.com",
  "example.com@127.0.0.1",
  "127.0.0.1#@example.com",
  "example.com#@127.0.0.1",
  "127.0.0.1\\@example.com",
  "example.com\\127.0.0.1",
  "127.0.0.1%00.example.com",
  "%31%32%37.0.0.1",
  "exa%6dple.com",
  "exam\tple.com",
  "exam\nple.com",
  "exam ple.com",
  "example.com.",
  ".example.com",
  "exa..mple.com",
  "a.b.c.d.e.f.g.h.i.example.com",
  `${"a".repeat(64)}.example.com`,
  "metadata",
  "metadata.google.internal",
  "instance-data",
  "instance-data.ec2.internal",
  "kubernetes",
  "kubernetes.default.svc",
  "db.svc.cluster.local",
  "intranet",
  "redis",
  "host.internal",
  "printer.local",
  "nas.lan",
  "a.corp",
  "a.home.arpa",
  "x.onion",
  "x.test",
  "x.invalid",
  "127.0.0.1.nip.io",
  "nip.io",
  "127-0-0-1.sslip.io",
  "a.xip.io",
  "localtest.me",
  "a.lvh.me",
];

describe("the SSRF matrix", () => {
  test.each(FORBIDDEN_HOSTS)("%s is refused at save time and never connected to", async (host) => {
    const egress = egressWith({ resolve: async () => ["127.0.0.1"] });
    for (const url of [`http://${host}:${canary.port}/x`, `https://${host}/v1`]) {
      expect(() => egress.judgeUrl(url)).toThrow();
      expect(["HOST_BLOCKED", "REQUEST_INVALID"]).toContain(await codeOf(egress.send(asking(url))));
    }
    expect(egress.open).toBe(0);
    expect(canary.connections).toBe(0);
  });

  test.each([
    "file:///etc/passwd",
    "gopher://example.com/",
    "ftp://example.com/",
    "unix:///var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/x",
    "data:text/plain,x",
    "javascript:1",
    "//example.com/",
    "example.com",
    "",
    "http:example.com",
    "http:/example.com",
    "https:\\\\example.com",
    " https://example.com",
    "https://",
    "https:///x",
    "https://example.com:/",
    "https://example.com:99999/",
    "https://example.com:0/",
    "https://example.com:22/",
    "https://example.com:6379/",
    "https://example.com:27017/",
    "https://example.com:123456/",
    "https://example.com:8a/",
    "https://example.com/#x",
    "https://example.com/a b",
    "https://example.com/ä",
  ])("the URL %p is refused", async (url) => {
    const egress = egressWith({ resolve: async () => ["8.8.8.8"] });
    expect(() => egress.judgeUrl(url)).toThrow();
    expect(["HOST_BLOCKED", "REQUEST_INVALID"]).toContain(await codeOf(egress.send(asking(url))));
  });

  test.each([
    "https://api.example.com/v1",
    "http://api.example.com:8080/v1?x=1",
    "https://8.8.8.8/v1",
    "https://[2606:4700::1111]/v1",
    "HTTPS://Api.Example.COM",
    "https://my_bucket.example.com/",
  ])("%s may be saved", (url) => {
    expect(egressWith().judgeUrl(url).href).toStartWith("http");
  });

  test("a URL of more than 2048 characters, or with an @ in its path, may not be saved", () => {
    expect(() => egressWith().judgeUrl(`https://example.com/${"a".repeat(2048)}`)).toThrow("2048");
    expect(() => egressWith().judgeUrl("https://example.com/@127.0.0.1")).toThrow("@");
  });

  test("an error about a URL does not repeat the credentials in it", () => {
    expect(() => egressWith().judgeUrl("https://user:hunter2@127.0.0.1/?k=hunter2")).toThrow(/^(?!.*hunter2)/);
  });
});

describe("a name is judged by its addresses, when the connection is made", () => {
  const url = (): string => `http://rebind.example.com:${canary.port}/`;

  test.each([
    [["127.0.0.1"]],
    [["8.8.8.8", "127.0.0.1"]],
    [["127.0.0.1", "8.8.8.8"]],
    [["8.8.8.8", "::1"]],
    [["2606:4700::1111", "10.0.0.1"]],
    [["::ffff:127.0.0.1"]],
    [["64:ff9b::7f00:1"]],
    [["fe80::1%lo"]],
    [["not an address"]],
    [[]],
  ])("answers %p are refused", async (answers) => {
    expect(await codeOf(egressWith({ resolve: async () => answers }).send(asking(url())))).toBe("HOST_BLOCKED");
    expect(canary.connections).toBe(0);
  });

  test("a name that does not exist looks exactly like one that is private", async () => {
    const message = (egress: ReturnType<typeof egressWith>) =>
      egress.send(asking(url())).then(
        () => "none",
        (error: Error) => error.message,
      );
    expect(await message(egressWith())).toBe(await message(egressWith({ resolve: async () => ["10.1.2.3"] })));
  });

  test("a declared host that is not found is an outage, another target may be tried", async () => {
    expect(await codeOf(egressWith().send(asking(url(), { declared: true })))).toBe("UPSTREAM_UNREACHABLE");
    expect(await codeOf(egressWith({ resolve: async () => ["10.1.2.3"] }).send(asking(url(), { declared: true })))).toBe("HOST_BLOCKED");
  });

  test("a resolver that is down is an outage", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("down"), { code: "EAI_AGAIN" }));
    expect(await codeOf(egressWith({ resolve }).send(asking(url())))).toBe("UPSTREAM_UNREACHABLE");
  });

  test("the connection goes to the address that was judged, though the name points elsewhere a moment later", async () => {
    const good = await rawServer((socket) => socket.write(httpReply("good")));
    let asked = 0;
    // 127.0.0.1 stands in for the public address; any later look-up would say 127.0.0.2, which nobody judged
    const egress = egressWith({
      resolve: async () => [asked++ === 0 ? "127.0.0.1" : "127.0.0.2"],
      isPublic: (address) => address === "127.0.0.1",
    });
    const ask = () => egress.send(asking(`http://rebind.example.com:${good.port}/x?y=1`));
    expect(await (await ask()).text()).toBe("good");
    expect(await (await ask()).text()).toBe("good");
    expect(asked).toBe(1);
    expect(good.received).toStartWith("GET /x?y=1 HTTP/1.1");
    expect(good.received.toLowerCase()).toContain(`host: rebind.example.com:${good.port}\r\n`);
    good.close();
  });

  test("a judged answer is asked for again after 30 s, and judged again", async () => {
    const good = await rawServer((socket) => socket.write(httpReply("good")));
    let now = 1_000;
    let answer = "127.0.0.1";
    const egress = egressWith({ now: () => now, resolve: async () => [answer], isPublic: (address) => address === "127.0.0.1" });
    const ask = () => egress.send(asking(`http://rebind.example.com:${good.port}/`)).then((reply) => reply.text());
    expect(await ask()).toBe("good");
    answer = "10.0.0.1";
    now += 29_999;
    expect(await ask()).toBe("good");
    now += 1;
    expect(await codeOf(ask())).toBe("HOST_BLOCKED");
    good.close();
  });

  test.skipIf(!hasIpv6)("IPv4 is tried first, and an address that refuses the connection makes way for the next", async () => {
    const good = await rawServer((socket) => socket.write(httpReply("good")), "::1");
    const egress = egressWith({ resolve: async () => ["::1", "127.0.0.1"], isPublic: () => true });
    const reply = await egress.send(asking(`http://two.example.com:${good.port}/`, { method: "POST", body: "{}" }));
    expect([await reply.text(), good.connections]).toEqual(["good", 1]);
    good.close();
  });

  test("many requests at once for one cold name ask the resolver once", async () => {
    const good = await rawServer((socket) => socket.end(httpReply("good")));
    let asked = 0;
    const egress = egressWith({
      resolve: async () => {
        asked += 1;
        return ["127.0.0.1"];
      },
      isPublic: () => true,
    });
    await Promise.all(Array.from({ length: 20 }, async () => (await egress.send(asking(`http://cold.example.com:${good.port}/`))).text()));
    expect(asked).toBe(1);
    good.close();
  });
});

describe("redirects", () => {
  test.each([301, 302, 303, 307, 308])("a %i to a private host comes back as it is", async (status) => {
    const upstream = await rawServer((socket) =>
      socket.write(`HTTP/1.1 ${status} Moved\r\nlocation: http://127.0.0.1:${canary.port}/\r\ncontent-length: 0\r\n\r\n`),
    );
    const egress = egressWith({ trustedHosts: [`127.0.0.1:${upstream.port}`] });
    const reply = await egress.send(asking(`http://127.0.0.1:${upstream.port}/`));
    expect(reply.status).toBe(status);
    expect(reply.headers.get("location")).toContain(String(canary.port));
    expect([canary.connections, egress.open]).toEqual([0, 0]);
    upstream.close();
  });
});

describe("trusted hosts", () => {
  const allowed = (trustedHosts: string[], url: string): boolean => {
    try {
      return egressWith({ trustedHosts }).judgeUrl(url) instanceof URL;
    } catch {
      return false;
    } // refused is the other answer
  };
  test.each([
    [["127.0.0.1"], "http://127.0.0.1:6379/", true],
    [["127.0.0.1:8000"], "http://127.0.0.1:8000/", true],
    [["127.0.0.1:8000"], "http://127.0.0.1:8001/", false],
    [["ollama"], "http://ollama:11434/", true],
    [["[::1]:8000"], "http://[0:0::1]:8000/", true],
    [["::1"], "http://[::1]/", true],
    [["*.lan"], "http://a.b.lan/", true],
    [["*.lan:81"], "http://a.lan/", false],
    [["*.corp.example.com"], "https://corp.example.com:22/", false],
    [["corp.lan"], "http://a.corp.lan/", false],
    [["*.corp.lan"], "http://evilcorp.lan/", false],
    [["LOCALHOST"], "http://localhost/", true],
    [["127.0.0.1"], "http://2130706433/", false],
    [["127.0.0.1"], "http://[::ffff:127.0.0.1]/", false],
    [["169.254.169.254"], "http://169.254.169.254/", false],
    [["*.internal"], "http://metadata.google.internal/", false],
    [["localhost"], "http://localhost:0/", false],
    [["localhost"], "http://user@localhost/", false],
  ] as const)("%p and %s: %p", (trustedHosts, url, expected) => {
    expect(allowed([...trustedHosts], url)).toBe(expected);
  });

  test.each(["http://localhost", "*", "*.", "a b", "host:port", "local*host", "host:1:2", "-.", ".lan", "[::1"])(
    "the setting %p is refused with a sentence",
    (entry) => {
      expect(() => egressWith({ trustedHosts: [entry] })).toThrow("GATEWAY_TRUSTED_HOSTS");
    },
  );
});

test.each([
  ["8.8.8.8", true],
  ["1.1.1.1", true],
  ["2606:4700::1111", true],
  ["2a00:1450::1", true],
  ["64:ff9b::8.8.8.8", true],
  ["64:ff9b::10.0.0.1", false],
  ["192.0.0.9", false],
  ["192.31.196.1", false],
  ["2620:4f:8000::1", false],
  ["", false],
  ["1.1.1", false],
  ["example.com", false],
])("isPublicAddress(%p) is %p", (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});

describe("addresses of a host", () => {
  const resolved = (...addresses: string[]) => egressWith({ resolve: async () => addresses, trustedHosts: ["inside.example.com"] });
  test("are told where all of them are public, and of a host that an operator vouches for", async () => {
    expect(await resolved("8.8.8.8", "2606:4700::1111").addresses("a.example.com", "acme")).toEqual(["8.8.8.8", "2606:4700::1111"]);
    expect(await resolved("10.0.0.1").addresses("inside.example.com", "acme")).toEqual(["10.0.0.1"]);
    expect(await resolved().addresses("8.8.8.8", "acme")).toEqual(["8.8.8.8"]);
  });
  test("private ones and names that there are not look alike", async () => {
    const why = (promise: Promise<unknown>) => promise.then(String, (thrown: Error) => thrown.message);
    const nobody = await why(egressWith().addresses("a.example.com", "acme"));
    expect(nobody).toContain("not a public address, nor a name that is found");
    expect(await why(resolved("8.8.8.8", "10.0.0.1").addresses("a.example.com", "acme"))).toBe(nobody);
    for (const host of ["localhost", "127.0.0.1", "metadata.google.internal", "a", "a.internal"])
      expect(await codeOf(resolved("8.8.8.8").addresses(host, "acme"))).toBe("HOST_BLOCKED");
  });
  test("a resolver that fails is an outage", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("try again"), { code: "EAI_AGAIN" }));
    expect(await codeOf(egressWith({ resolve }).addresses("a.example.com", "acme"))).toBe("UPSTREAM_UNREACHABLE");
  });
});
