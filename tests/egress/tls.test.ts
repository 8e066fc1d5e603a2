import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import type { GatewayError } from "#contract";
import { asking, egressWith, httpReply } from "./support.ts";

const openssl = Bun.which("openssl");

describe.skipIf(openssl === null)("TLS to a looked-up address", () => {
  let folder: string;
  let ca: string;
  let port: number;
  let server: tls.Server;
  const seen: { readonly sni: string; readonly hosts: string[] }[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "egress-tls-"));
    ca = certify("ca", [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout",
      "ca.key",
      "-out",
      "ca.pem",
      "-days",
      "2",
      "-subj",
      "/CN=test authority",
    ]);
    for (const name of ["a", "b"]) leaf(name);
    const context = (name: string) => tls.createSecureContext({ key: file(`${name}.key`), cert: file(`${name}.pem`) });
    server = tls.createServer(
      { key: file("a.key"), cert: file("a.pem"), SNICallback: (name, done) => done(null, context(name.startsWith("b.") ? "b" : "a")) },
      (socket) => {
        const connection = { sni: String(socket.servername), hosts: [] as string[] };
        seen.push(connection);
        socket.on("error", () => undefined); // clients that refuse the certificate reset the connection
        socket.on("data", (data) => {
          connection.hosts.push(/host: (.*)\r/i.exec(data.toString())?.[1] ?? "");
          socket.write(httpReply("ok"));
        });
      },
    );
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const file = (name: string): string => readFileSync(join(folder, name), "utf8");
  const certify = (name: string, args: string[]): string => {
    const run = Bun.spawnSync([openssl ?? "openssl", ...args], { cwd: folder, stderr: "pipe" });
    if (run.exitCode !== 0) throw new Error(run.stderr.toString());
    return file(`${name}.pem`);
  };
  const leaf = (name: string): void => {
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=DNS:${name}.example.com`);
    certify("ca", [
      "req",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.csr`,
      "-subj",
      `/CN=${name}.example.com`,
    ]);
    certify(name, [
      "x509",
      "-req",
      "-in",
      `${name}.csr`,
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-out",
      `${name}.pem`,
      "-days",
      "2",
      "-extfile",
      `${name}.ext`,
    ]);
  };
  // both names have the address of this machine, which stands in for a public one
  const egress = (authority: string | undefined) =>
    egressWith({ resolve: async () => ["127.0.0.1"], isPublic: () => true, ...(authority !== undefined && { ca: authority }) });
  const ask = (name: string, authority: string | undefined = ca) =>
    egress(authority)
      .send(asking(`https://${name}.example.com:${port}/`))
      .then(
        (reply) => reply.text(),
        (error: GatewayError) => `${error.code} ${String(error.details.why)}`,
      );

  test("SNI, certificate and Host use the name, and a kept connection serves the name it was made for", async () => {
    for (const name of ["a", "b", "a", "b", "b", "a"]) expect(await ask(name)).toBe("ok");
    expect(seen.map((connection) => [connection.sni, new Set(connection.hosts).size, connection.hosts.length])).toEqual([
      ["a.example.com", 1, 3],
      ["b.example.com", 1, 3],
    ]);
    expect(seen[0]?.hosts[0]).toBe(`a.example.com:${port}`);
  });
  test("a certificate for another name is refused, also when a good connection to that address is open", async () => {
    expect(await ask("a")).toBe("ok");
    expect(await ask("c")).toBe("UPSTREAM_UNREACHABLE its certificate is for another name");
  });
  test("a WebSocket has the same name, and the same certificate", async () => {
    const dialled = (name: string) =>
      egress(ca)
        .connect({ ...asking(`https://${name}.example.com:${port}/`), protocols: [], maxMessageBytes: 1 })
        .then(
          (made) => (made.kind === "answer" ? made.answer.text() : "opened"),
          (error: GatewayError) => `${error.code} ${String(error.details.why)}`,
        );
    const before = seen.length;
    expect([await dialled("b"), await dialled("c")]).toEqual(["ok", "UPSTREAM_UNREACHABLE its certificate is for another name"]);
    expect([seen[before]?.sni, seen[before]?.hosts]).toEqual(["b.example.com", [`b.example.com:${port}`]]);
  });
  test("an unknown authority is refused, also when a good connection under that name is open", async () => {
    expect(await ask("a")).toBe("ok");
    expect(
      await egress(undefined)
        .send(asking(`https://a.example.com:${port}/`))
        .then(
          () => "answered",
          (error: GatewayError) => error.code,
        ),
    ).toBe("UPSTREAM_UNREACHABLE");
  });
});
