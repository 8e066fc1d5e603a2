import { afterEach, describe, expect, test } from "bun:test";
import { GatewayError } from "#contract";
import { asking, codeOf, egressWith, httpReply, quickest, type RawServer, rawServer, until } from "./support.ts";

const servers: RawServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
const serving = async (...onData: Parameters<typeof rawServer>): Promise<RawServer> => {
  const server = await rawServer(...onData);
  servers.push(server);
  return server;
};
const local = (options: Parameters<typeof egressWith>[0] = {}) => egressWith({ trustedHosts: ["127.0.0.1"], ...options });
const CHUNKED = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

const CUT_MS = 100;
const isSoonCut = async (tookMs: () => Promise<number>): Promise<void> => expect(await quickest(CUT_MS, tookMs)).toBeLessThan(CUT_MS);

describe("the client leaves", () => {
  const phases = {
    "before anything was sent": async () => {
      const server = await serving(() => undefined);
      const egress = local();
      const client = AbortSignal.abort();
      expect(await codeOf(egress.send(asking(`http://127.0.0.1:${server.port}/`, { signal: client })))).toBe("CLIENT_LEFT");
      expect([server.connections, egress.open]).toEqual([0, 0]);
    },
    "while the name is looked up": async () => {
      const client = new AbortController();
      const egress = egressWith({ resolve: () => new Promise(() => undefined) });
      const sent = codeOf(egress.send(asking("http://slow-dns.example.com/", { signal: client.signal })));
      await until(() => egress.open === 1);
      client.abort();
      expect(await sent).toBe("CLIENT_LEFT");
      expect(egress.open).toBe(0);
    },
    "while the answer's headers are waited for": () =>
      isSoonCut(async () => {
        const server = await serving(() => undefined);
        const client = new AbortController();
        const egress = local();
        const sent = codeOf(egress.send(asking(`http://127.0.0.1:${server.port}/`, { signal: client.signal })));
        await until(() => server.received !== "");
        const leftAt = performance.now();
        client.abort();
        expect(await sent).toBe("CLIENT_LEFT");
        await until(() => server.closedAt !== null);
        expect(egress.open).toBe(0);
        return Number(server.closedAt) - leftAt;
      }),
    "in the middle of a streamed answer": () =>
      isSoonCut(async () => {
        const server = await serving((socket) => socket.write(CHUNKED + chunk("data: 1\n\n")));
        const client = new AbortController();
        const egress = local();
        const reply = await egress.send(asking(`http://127.0.0.1:${server.port}/`, { signal: client.signal }));
        const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
        expect(decode((await reader.read()).value)).toBe("data: 1\n\n");
        const next = codeOf(reader.read());
        const leftAt = performance.now();
        client.abort();
        expect(await next).toBe("CLIENT_LEFT");
        await until(() => server.closedAt !== null);
        expect(egress.open).toBe(0);
        return Number(server.closedAt) - leftAt;
      }),
    "while nobody reads the streamed answer": async () => {
      const server = await serving((socket) => socket.write(CHUNKED + chunk("data: 1\n\n")));
      const client = new AbortController();
      const egress = local();
      const reply = await egress.send(asking(`http://127.0.0.1:${server.port}/`, { signal: client.signal }));
      client.abort();
      await until(() => server.closedAt !== null);
      expect(egress.open).toBe(0);
      expect(await codeOf((reply.body as ReadableStream<Uint8Array>).getReader().read())).toBe("CLIENT_LEFT");
    },
    "while a whole answer is read": async () => {
      const server = await serving((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"));
      const client = new AbortController();
      const egress = local();
      const reply = await egress.send(asking(`http://127.0.0.1:${server.port}/`, { signal: client.signal }));
      const text = codeOf(reply.text());
      client.abort();
      expect(await text).toBe("CLIENT_LEFT");
      await until(() => server.closedAt !== null);
      expect(egress.open).toBe(0);
    },
    "while the request body is still being sent": async () => {
      const server = await serving(() => undefined);
      const client = new AbortController();
      let cancelled = false;
      const body = new ReadableStream<Uint8Array>({
        start: (to) => to.enqueue(new TextEncoder().encode("first part")),
        cancel: () => {
          cancelled = true;
        },
      });
      const egress = local();
      const sent = codeOf(egress.send(asking(`http://127.0.0.1:${server.port}/`, { method: "POST", body, signal: client.signal })));
      await until(() => server.received.includes("first part"));
      client.abort();
      expect(await sent).toBe("CLIENT_LEFT");
      await until(() => server.closedAt !== null && cancelled);
      expect(egress.open).toBe(0);
    },
  } satisfies Record<string, () => Promise<void>>;
  for (const [phase, run] of Object.entries(phases)) test(phase, run);

  test("an owner's own reason is told instead of CLIENT_LEFT", async () => {
    const owner = new AbortController();
    const sent = codeOf(
      egressWith({ resolve: () => new Promise(() => undefined) }).send(asking("http://slow-dns.example.com/", { signal: owner.signal })),
    );
    owner.abort(new GatewayError("NOT_READY", { why: "it is draining" }));
    expect(await sent).toBe("NOT_READY");
  });
});

describe("deadlines", () => {
  test("headers that do not come in time are a TIMEOUT that names the limit, and the upstream is cut", async () => {
    const server = await serving(() => undefined);
    const egress = local();
    const error = await egress.send(asking(`http://127.0.0.1:${server.port}/`, { timeoutMs: 30 })).then(
      () => null,
      (thrown: GatewayError) => thrown,
    );
    expect([error?.code, error?.status, error?.message]).toEqual(["TIMEOUT", 408, "The request exceeded the timeout of 30 ms."]);
    await until(() => server.closedAt !== null);
    expect(egress.open).toBe(0);
  });
  test("the look-up of the name counts", async () => {
    expect(
      await codeOf(egressWith({ resolve: () => new Promise(() => undefined) }).send(asking("http://slow.example.com/", { timeoutMs: 20 }))),
    ).toBe("TIMEOUT");
  });
  test("the hard limit holds when the request has none, and when it asks for more", async () => {
    const server = await serving(() => undefined);
    for (const timeoutMs of [null, 60_000]) {
      expect(await codeOf(local({ hardTimeoutMs: 30 }).send(asking(`http://127.0.0.1:${server.port}/`, { timeoutMs })))).toBe("TIMEOUT");
    }
  });
  test("a request's own deadline does not end an answer that has begun; silence of the hard limit does", async () => {
    const server = await serving((socket) => socket.write(CHUNKED + chunk("data: 1\n\n")));
    const egress = local({ hardTimeoutMs: 150 });
    const reply = await egress.send(asking(`http://127.0.0.1:${server.port}/`, { timeoutMs: 50 }));
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const startedAt = performance.now();
    expect(await codeOf(reader.read())).toBe("TIMEOUT");
    expect(performance.now() - startedAt).toBeGreaterThan(100);
    expect(egress.open).toBe(0);
  });
});

describe("the count of open exchanges returns to zero", () => {
  const sse = CHUNKED + chunk("data: 1\n\n") + chunk("data: 2\n\n");
  const endings = {
    "a whole answer": async (reply: Response) => {
      expect(await reply.text()).toBe("data: 1\n\ndata: 2\n\n");
    },
    "a JSON answer that is not JSON": async (reply: Response) => {
      expect(
        await reply.json().then(
          () => "read",
          (error: Error) => error.name,
        ),
      ).toBe("SyntaxError");
    },
    bytes: async (reply: Response) => {
      expect((await reply.arrayBuffer()).byteLength).toBe(18);
    },
    "a stream read to its end": async (reply: Response) => {
      expect(await new Response(reply.body).text()).toBe("data: 1\n\ndata: 2\n\n");
    },
    "body looked at, then read whole": async (reply: Response) => {
      expect(reply.body).toBeInstanceOf(ReadableStream);
      expect(await reply.text()).toBe("data: 1\n\ndata: 2\n\n");
    },
    "a stream cancelled": async (reply: Response) => {
      await reply.body?.cancel();
    },
    "a stream cancelled after a chunk": async (reply: Response) => {
      const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      await reader.cancel();
    },
  } satisfies Record<string, (reply: Response) => Promise<void>>;
  for (const [ending, run] of Object.entries(endings)) {
    test(ending, async () => {
      const server = await serving((socket) => socket.write(`${sse}0\r\n\r\n`));
      const egress = local();
      const reply = await egress.send(asking(`http://127.0.0.1:${server.port}/`));
      expect(egress.open).toBe(1);
      await run(reply);
      expect(egress.open).toBe(0);
    });
  }
  test.each([
    ["HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"],
    ["GET", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["GET", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"],
  ])("%s with no body in the answer", async (method, wire) => {
    const server = await serving((socket) => socket.write(wire));
    const egress = local();
    await egress.send(asking(`http://127.0.0.1:${server.port}/`, { method }));
    expect(egress.open).toBe(0);
  });
  test("an upstream that breaks off is an error, not an end", async () => {
    for (const read of [(reply: Response) => reply.text(), (reply: Response) => new Response(reply.body).text()]) {
      const server = await serving((socket) => socket.end(CHUNKED + chunk("data: 1\n\n")));
      const egress = local();
      expect(await codeOf(egress.send(asking(`http://127.0.0.1:${server.port}/`)).then(read))).toBe("UPSTREAM_UNREACHABLE");
      expect(egress.open).toBe(0);
    }
  });
});

describe("network failures", () => {
  test("say what happened and never the URL, its query or a header", async () => {
    const gone = await rawServer(() => undefined);
    gone.close();
    const reset = await serving((socket) => socket.destroy());
    const garbage = await serving((socket) => socket.end("this is not HTTP\r\n\r\n"));
    for (const { port } of [gone, reset, garbage]) {
      const request = asking(`http://127.0.0.1:${port}/path?key=hunter2`, {
        headers: { authorization: "Bearer hunter2" },
        method: "POST",
        body: "hunter2",
      });
      const error = await local()
        .send(request)
        .then(
          () => null,
          (thrown: GatewayError) => thrown,
        );
      expect(error?.code).toBe("UPSTREAM_UNREACHABLE");
      expect(error?.message).toMatch(/^The connection to the provider acme failed: .+\.$/);
      expect(error?.message).not.toMatch(/hunter2|path|127\.0\.0\.1/);
    }
  });
});

describe("bodies stream", () => {
  test("an answer's chunk arrives before the next one was sent", async () => {
    let more: (text: string) => void = () => undefined;
    const server = await serving((socket) => {
      socket.write(CHUNKED + chunk("one"));
      more = (text) => socket.write(text);
    });
    const reply = await local().send(asking(`http://127.0.0.1:${server.port}/`));
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    expect(decode((await reader.read()).value)).toBe("one");
    more(`${chunk("two")}0\r\n\r\n`);
    expect(decode((await reader.read()).value)).toBe("two");
    expect((await reader.read()).done).toBe(true);
  });
  test("a request's part arrives before the next one was made", async () => {
    const server = await serving((socket, text) => {
      if (text.includes("0\r\n\r\n")) socket.end(httpReply("done"));
    });
    let to: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        to = controller;
      },
    });
    const sent = local().send(asking(`http://127.0.0.1:${server.port}/`, { method: "POST", body }));
    to?.enqueue(new TextEncoder().encode("part one"));
    await until(() => server.received.includes("part one"));
    to?.enqueue(new TextEncoder().encode("part two"));
    to?.close();
    expect(await (await sent).text()).toBe("done");
    expect(server.received).toContain("part two");
  });
  test("a reader that stops makes the upstream stop", async () => {
    let sent = 0;
    const server = await serving((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
      const piece = Buffer.alloc(65_536, 65);
      const go = (): void => {
        while (sent < 256e6) {
          sent += piece.length;
          if (!socket.write(piece)) return void socket.once("drain", go);
        }
      };
      go();
    });
    const reply = await local().send(asking(`http://127.0.0.1:${server.port}/`));
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    let before = -1;
    await until(() => {
      const still = before === sent;
      before = sent;
      return still && sent > 0;
    });
    expect(sent).toBeLessThan(64e6);
    await reader.cancel();
  });
});

test("small requests on a kept connection take no 40 ms steps", async () => {
  const server = await serving((socket) => socket.write(httpReply("ok")));
  const egress = local();
  const times: number[] = [];
  for (let index = 0; index < 60; index += 1) {
    const startedAt = performance.now();
    await (await egress.send(asking(`http://127.0.0.1:${server.port}/`, { method: "POST", body: "{}" }))).text();
    times.push(performance.now() - startedAt);
  }
  const steps = times.filter((ms) => ms >= 38 && ms <= 60).length;
  expect(steps).toBeLessThan(6);
  expect(server.connections).toBe(1);
});

test("an HTTP proxy in the environment is not followed", async () => {
  const proxy = await serving((socket) => socket.end(httpReply("proxy")));
  const server = await serving((socket) => socket.end(httpReply("direct", "connection: close\r\n")));
  const before = process.env.HTTP_PROXY;
  process.env.HTTP_PROXY = `http://127.0.0.1:${proxy.port}`;
  try {
    const reply = await local().send(asking(`http://127.0.0.1:${server.port}/`));
    expect([await reply.text(), proxy.connections]).toEqual(["direct", 0]);
  } finally {
    if (before === undefined) delete process.env.HTTP_PROXY;
    else process.env.HTTP_PROXY = before;
  }
});
