/** A provider over HTTPS with a name of its own, and an authority made for it; tells which names it was called by. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";

export interface Vendor {
  readonly port: number;
  /** File with the certificate of its authority (PEM). */
  readonly authority: string;
  /** Of each request, in their order: the name of the TLS handshake, the Host, and the body. */
  readonly asked: readonly { readonly sni: string; readonly host: string; readonly body: string }[];
  close(): void;
}

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
const COMPLETION = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "by name" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
});
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${COMPLETION.length}\r\n\r\n${COMPLETION}`;

/** Its certificate is for these names. Every request is answered with the same completion. */
export async function httpsVendor(names: readonly string[]): Promise<Vendor> {
  const folder = mkdtempSync(join(tmpdir(), "vendor-"));
  certify(folder, names);
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const asked: { sni: string; host: string; body: string }[] = [];
  const server = tls.createServer({ key: read("leaf.key"), cert: read("leaf.pem") }, (socket) => {
    let text = "";
    socket.on("error", () => undefined); // clients that refuse the certificate reset the connection
    socket.on("data", (data) => {
      text += data.toString("latin1");
      const [head = "", body = ""] = text.split("\r\n\r\n", 2);
      if (body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) || !text.includes("\r\n\r\n")) return;
      text = "";
      asked.push({ sni: String(socket.servername), host: /host: (.*)/i.exec(head)?.[1] ?? "", body });
      socket.write(ANSWER);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    port: (server.address() as AddressInfo).port,
    authority: join(folder, "ca.pem"),
    asked,
    close() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function certify(folder: string, names: readonly string[]): void {
  const openssl = (...args: string[]): void => {
    const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args], { cwd: folder, stderr: "pipe" });
    if (exitCode !== 0) throw new Error(stderr.toString());
  };
  writeFileSync(join(folder, "leaf.ext"), `subjectAltName=${names.map((name) => `DNS:${name}`).join()}`);
  openssl("req", "-x509", ...KEY, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test authority");
  openssl("req", ...KEY, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", `/CN=${names[0]}`);
  const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"];
  openssl("x509", "-req", "-in", "leaf.csr", ...by, "-out", "leaf.pem", "-days", "2", "-extfile", "leaf.ext");
}
