import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from "node:tls";
import { GatewayError, messageOf } from "#contract";
import type { Config } from "./config.ts";

export const NO_BUNDLE = "set DB_SSL_CA to the path of the bundle of certificates the provider offers for download (global-bundle.pem)";

export const SSL_MODES = ["DISABLED", "PREFERRED", "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY", "Amazon RDS"] as const;
type SslMode = (typeof SSL_MODES)[number];

/** libpq's names, as hosting services write them into URLs. */
const SSLMODE: Readonly<Record<string, SslMode>> = {
  disable: "DISABLED",
  allow: "PREFERRED",
  prefer: "PREFERRED",
  require: "REQUIRED",
  "verify-ca": "VERIFY_CA",
  "verify-full": "VERIFY_IDENTITY",
};

/** The driver's `ssl` option for a TLS mode. */
export function sslOf(config: Config): false | "prefer" | ConnectionOptions {
  const mode = config.ssl ?? SSLMODE[new URLSearchParams(config.url.split("?")[1]).get("sslmode") ?? ""] ?? "PREFERRED";
  return OPTIONS[mode](config);
}

/** The URL without what `sslOf` has read from it. */
export function urlWithoutSslmode(url: string): string {
  const [base = "", query] = url.split("?");
  const rest = new URLSearchParams(query);
  rest.delete("sslmode");
  return rest.size === 0 ? base : `${base}?${rest}`;
}

const OPTIONS: Readonly<Record<SslMode, (config: Config) => false | "prefer" | ConnectionOptions>> = {
  DISABLED: () => false,
  PREFERRED: (config) => (config.sslCert === undefined ? "prefer" : { ...certificates(config), rejectUnauthorized: false }),
  REQUIRED: (config) => ({ ...certificates(config), rejectUnauthorized: false }),
  VERIFY_CA: (config) => ({ ...certificates(config), rejectUnauthorized: true, checkServerIdentity: () => undefined }),
  VERIFY_IDENTITY: identity,
  "Amazon RDS": (config) => {
    if (config.sslCa !== undefined) return identity(config);
    throw new GatewayError("SETTING_INVALID", { name: "DB_SSL", value: "Amazon RDS", why: NO_BUNDLE });
  },
};

function identity(config: Config): ConnectionOptions {
  const host = hostOf(config.url);
  const named = (hostname: string, certificate: PeerCertificate): Error | undefined =>
    // An IP address is not sent as server name, so what comes back is not the host that was meant.
    checkServerIdentity(isIP(host) ? host : hostname || host, certificate);
  return { ...certificates(config), rejectUnauthorized: true, checkServerIdentity: named };
}

function certificates({ sslCa, sslCert, sslKey }: Config): ConnectionOptions {
  return {
    ...(sslCa === undefined ? {} : { ca: pem("DB_SSL_CA", sslCa) }),
    ...(sslCert === undefined ? {} : { cert: pem("DB_SSL_CERT", sslCert) }),
    ...(sslKey === undefined ? {} : { key: pem("DB_SSL_KEY", sslKey) }),
  };
}

/** PEM text as it is (also with `\n` written out, as one-line environment files have it), or the file it names. */
export function pem(name: string, given: string): string {
  if (given.includes("-----BEGIN")) return given.replaceAll("\\n", "\n");
  try {
    return readFileSync(given, "utf8");
  } catch (error) {
    // a key that lost its first line must not be shown
    const value = name === "DB_SSL_KEY" ? "…" : given;
    const why = name === "DB_SSL_KEY" ? "" : `: ${messageOf(error)}`;
    throw new GatewayError("SETTING_INVALID", { name, value, why: `it is neither PEM text nor a file that can be read${why}` });
  }
}

/** First host of the URL, without user, password (which may hold an @ as it is) and port. */
export const hostOf = (url: string): string =>
  /^[a-z]+:\/\/(?:[^/?#]*@)?(\[[^\]]+\]|[^:,/?]*)/.exec(url)?.[1]?.replace(/^\[|\]$/g, "") || "localhost";
