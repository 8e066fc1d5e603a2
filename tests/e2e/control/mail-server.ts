/** A real mail server of the tests, which takes mail, refuses it, is slow, or is away. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { freePort } from "../../servers/port.ts";

export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  /** Who signed in; undefined where nobody had to. */
  readonly user: string | undefined;
  readonly encrypted: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
  readonly raw: string;
}
export interface MailServer {
  readonly port: number;
  readonly received: Received[];
  /** Times that somebody began to hand something over. */
  readonly asked: string[];
  close(): Promise<void>;
}
/** Whether an address is taken: a status of SMTP where it is not, and `slow` where no answer comes. */
export type Judge = (to: string) => number | "slow" | undefined;

interface ServerOptions extends Pick<SMTPServerOptions, "key" | "cert" | "secure"> {
  readonly port?: number;
  readonly judge?: Judge;
  /** Whoever hands mail over has to sign in with it. */
  readonly password?: string;
}

export async function mailServer(options: ServerOptions = {}): Promise<MailServer> {
  const { port = await freePort(), judge = () => undefined, password: expected, ...more } = options;
  const received: Received[] = [];
  const asked: string[] = [];
  const server = new SMTPServer({
    onAuth: ({ username, password }, _, done) =>
      password === expected ? done(null, { user: username ?? "" }) : done(Object.assign(new Error("no"), { responseCode: 535 })),
    ...{
      authOptional: expected === undefined,
      disabledCommands: more.key ? [] : ["STARTTLS"],
      closeTimeout: 1,
      disableReverseLookup: true,
    },
    onRcptTo({ address }, _, done) {
      asked.push(address);
      const verdict = judge(address);
      if (verdict === "slow") return;
      done(verdict === undefined ? null : Object.assign(new Error("not now"), { responseCode: verdict }));
    },
    async onData(stream, session, done) {
      const raw = await new Response(stream as unknown as ReadableStream).text(); // a Node stream is read as one
      const from = session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address;
      const to = session.envelope.rcptTo.map(({ address }) => address);
      received.push({ from, to, user: session.user?.toString(), encrypted: session.secure, ...read(raw) });
      done();
    },
    ...more,
  });
  server.on("error", () => undefined); // a client that leaves is no failure of the test
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { port, received, asked, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** A mail of two parts: text, and the same in HTML. */
function read(raw: string): Pick<Received, "headers" | "text" | "html" | "raw"> {
  const [head = "", ...rest] = raw.split("\r\n\r\n");
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? "";
  const parts = rest.join("\r\n\r\n").split(`--${boundary}`);
  const part = (type: string): string => decoded(parts.find((one) => one.includes(`Content-Type: ${type}`)) ?? "");
  return { headers: headersOf(head), text: part("text/plain"), html: part("text/html"), raw };
}
function headersOf(head: string): Record<string, string> {
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]));
}
function decoded(part: string): string {
  const [head = "", ...rest] = part.split("\r\n\r\n");
  const body = rest.join("\r\n\r\n").trimEnd();
  if (/base64/i.test(head)) return Buffer.from(body, "base64").toString("utf8");
  if (!/quoted-printable/i.test(head)) return body;
  const bytes = body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** A certificate of the name localhost, which is its own authority. */
export function certificate(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "mail-tls-"));
  try {
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const files = ["-keyout", join(folder, "key"), "-out", join(folder, "cert")];
    const made = Bun.spawnSync(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...names, ...files]);
    if (made.exitCode !== 0) throw new Error(made.stderr.toString());
    return { key: readFileSync(join(folder, "key"), "utf8"), cert: readFileSync(join(folder, "cert"), "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
