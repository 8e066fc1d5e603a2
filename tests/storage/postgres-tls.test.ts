import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import plugin from "../../storage/postgres/index.ts";
import { clientOf, drop } from "../../storage/postgres/client.ts";
import { verifies } from "../requirements/verifies.ts";
import { isSkip, ownPostgres } from "../servers/index.ts";

const folder = mkdtempSync(join(tmpdir(), "gateway-test-tls-"));
const certificates = Bun.which("openssl") === null ? undefined : makeCertificates();
const HBA = "hostssl all certified 127.0.0.1/32 cert clientcert=verify-full\nhost all all 127.0.0.1/32 trust\n";
const secure =
  certificates &&
  (await ownPostgres({
    settings: { ssl: "on", ssl_ca_file: "ca.crt" },
    files: { "server.crt": certificates.server, "server.key": certificates.serverKey, "ca.crt": certificates.ca, "pg_hba.conf": HBA },
  }));
const plain = certificates && (await ownPostgres());
afterAll(async () => {
  for (const server of [secure, plain]) if (server && !isSkip(server)) await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** An authority, and what it signed: a server named localhost, a client named `certified`; and an authority nobody knows. */
function makeCertificates() {
  const KEY = ["-newkey", "rsa:2048", "-nodes"];
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => {
    const made = Bun.spawnSync(["openssl", ...args], { stderr: "pipe" });
    if (made.exitCode !== 0) throw new Error(made.stderr.toString());
  };
  const authority = (name: string) =>
    openssl("req", "-x509", ...KEY, "-days", "2", "-subj", `/CN=${name}`, "-keyout", at(`${name}.key`), "-out", at(`${name}.crt`));
  const signed = (name: string, extension: string) => {
    writeFileSync(at(`${name}.ext`), extension);
    openssl("req", ...KEY, "-subj", `/CN=${name}`, "-keyout", at(`${name}.key`), "-out", at(`${name}.csr`));
    const by = ["-CA", at("ca.crt"), "-CAkey", at("ca.key"), "-CAcreateserial"];
    openssl("x509", "-req", "-days", "2", "-in", at(`${name}.csr`), ...by, "-extfile", at(`${name}.ext`), "-out", at(`${name}.crt`));
  };
  authority("ca");
  authority("stranger");
  signed("localhost", "subjectAltName=DNS:localhost");
  signed("certified", "extendedKeyUsage=clientAuth");
  const read = (name: string) => readFileSync(at(name), "utf8");
  return {
    ca: read("ca.crt"),
    caFile: at("ca.crt"),
    stranger: read("stranger.crt"),
    server: read("localhost.crt"),
    serverKey: read("localhost.key"),
    client: read("certified.crt"),
    clientKey: read("certified.key"),
  };
}

describe.skipIf(!certificates || !secure || isSkip(secure) || !plain || isSkip(plain))("PostgreSQL over TLS", () => {
  if (!certificates || !secure || isSkip(secure) || !plain || isSkip(plain)) return;
  const BASE = { poolSize: 2, logsPoolSize: 1, statementTimeoutMs: 1000, logsTimeoutMs: 1000, connectTimeoutMs: 1000, prepare: true };
  type Options = Partial<Parameters<typeof plugin.setup>[1]>;

  /** `tls` or `plain` when it connects, else what it says. */
  async function tried(options: Options & { url: string }): Promise<string> {
    try {
      const running = await plugin.setup({ now: Date.now, log: () => undefined }, { ...BASE, ...options });
      try {
        await running.ready?.();
      } finally {
        await running.close?.();
      }
      const client = clientOf({ ...BASE, ...options }, { max: 1, statementTimeoutMs: 1000 });
      const [row] = await client`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
      drop(client);
      return row?.["ssl"] ? "tls" : "plain";
    } catch (error) {
      return String(error);
    }
  }
  const byIp = secure.url;
  const byName = secure.url.replace("127.0.0.1", "localhost");
  const { ca, stranger, caFile, client, clientKey } = certificates;

  test(verifies("9.db-ssl", "DISABLED does not encrypt, PREFERRED and no setting do when the server can"), async () => {
    expect(await tried({ url: byIp, ssl: "DISABLED" })).toBe("plain");
    expect(await tried({ url: byIp, ssl: "PREFERRED" })).toBe("tls");
    expect(await tried({ url: byIp })).toBe("tls");
    expect(await tried({ url: plain.url, ssl: "PREFERRED" })).toBe("plain");
    expect(await tried({ url: plain.url })).toBe("plain");
  });

  test(verifies("9.db-ssl", "REQUIRED takes any certificate and refuses a server without TLS"), async () => {
    expect(await tried({ url: byIp, ssl: "REQUIRED" })).toBe("tls");
    expect(await tried({ url: plain.url, ssl: "REQUIRED" })).toContain("cannot be used");
  });

  test(verifies("9.db-ssl", "VERIFY_CA wants a certificate of the given authority, whatever host it names"), async () => {
    expect(await tried({ url: byIp, ssl: "VERIFY_CA", sslCa: ca })).toBe("tls");
    expect(await tried({ url: byIp, ssl: "VERIFY_CA", sslCa: stranger })).toContain("cannot be used");
    expect(await tried({ url: byIp, ssl: "VERIFY_CA" })).toContain("cannot be used");
    expect(await tried({ url: plain.url, ssl: "VERIFY_CA", sslCa: ca })).toContain("cannot be used");
  });

  test(verifies("9.db-ssl", "VERIFY_IDENTITY also wants the host's name in it"), async () => {
    expect(await tried({ url: byName, ssl: "VERIFY_IDENTITY", sslCa: ca })).toBe("tls");
    expect(await tried({ url: byIp, ssl: "VERIFY_IDENTITY", sslCa: ca })).toContain("cannot be used");
    expect(await tried({ url: byName, ssl: "VERIFY_IDENTITY", sslCa: stranger })).toContain("cannot be used");
  });

  test(verifies("9.db-ssl", "the cloud mode is VERIFY_IDENTITY with a bundle, and says so when the bundle is missing"), async () => {
    expect(await tried({ url: byName, ssl: "Amazon RDS", sslCa: caFile })).toBe("tls");
    expect(await tried({ url: byIp, ssl: "Amazon RDS", sslCa: caFile })).toContain("cannot be used");
    expect(await tried({ url: byName, ssl: "Amazon RDS" })).toContain("DB_SSL_CA");
  });

  test(verifies("9.db-ssl-files", "certificates are PEM text, PEM text on one line, or a file"), async () => {
    expect(await tried({ url: byIp, ssl: "VERIFY_CA", sslCa: caFile })).toBe("tls");
    expect(await tried({ url: byIp, ssl: "VERIFY_CA", sslCa: ca.replaceAll("\n", "\\n") })).toBe("tls");
    expect(await tried({ url: byIp, ssl: "VERIFY_CA", sslCa: "/nowhere/ca.pem" })).toContain("DB_SSL_CA=/nowhere/ca.pem");
  });

  test("the URL's sslmode counts when there is no setting", async () => {
    expect(await tried({ url: `${byIp}?sslmode=disable` })).toBe("plain");
    expect(await tried({ url: `${byIp}?sslmode=require` })).toBe("tls");
    expect(await tried({ url: `${byName}?sslmode=verify-full&application_name=x`, sslCa: ca })).toBe("tls");
    expect(await tried({ url: `${byIp}?sslmode=verify-full`, sslCa: ca })).toContain("cannot be used");
  });

  test(verifies("9.db-ssl-files", "a client certificate logs in where the server asks for one"), async () => {
    const admin = postgres(secure.url, { max: 1 });
    await admin.unsafe("create role certified login");
    await admin.end();
    const url = byIp.replace("gateway@", "certified@");
    expect(await tried({ url, ssl: "VERIFY_CA", sslCa: ca, sslCert: client, sslKey: clientKey })).toBe("tls");
    expect(await tried({ url, ssl: "VERIFY_CA", sslCa: ca })).toContain("cannot be used");
  });
});
