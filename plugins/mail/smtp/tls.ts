import { readFileSync } from "node:fs";
import type { SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";
import type { Config } from "./config.ts";

export const isPem = (text: string): boolean => text.includes("-----BEGIN ");

/** How the server is spoken to. The certificate must be good and name the host: mail opens doors. */
export function tlsOf({
  tls,
  tlsCa,
}: Pick<Config, "tls" | "tlsCa">): Pick<SMTPConnectionOptions, "secure" | "requireTLS" | "ignoreTLS" | "tls"> {
  const ca = tlsCa === undefined ? {} : { ca: isPem(tlsCa) ? tlsCa : readFileSync(tlsCa, "utf8") };
  const checked = { minVersion: "TLSv1.2", rejectUnauthorized: true, ...ca } as const;
  return { secure: tls === "tls", requireTLS: tls === "starttls", ignoreTLS: tls === "none", tls: checked };
}
