import { existsSync } from "node:fs";
import type { Config } from "./config.ts";
import { isPem } from "./tls.ts";

type Problem = { readonly path: string; readonly why: string };

/** What is wrong with a configuration beyond its schema. */
export function problems({ user, password, tls, tlsCa, host = "" }: Partial<Config>): readonly Problem[] {
  const found: Problem[] = [];
  if (password !== undefined && user === undefined) found.push({ path: "password", why: "there is no user whose it is" });
  if (user !== undefined && password === undefined) found.push({ path: "user", why: "there is no password for it" });
  if (password !== undefined && tls === "none" && !LOOPBACK.test(host))
    found.push({ path: "tls", why: "the password would travel unencrypted; use starttls or tls" });
  if (tlsCa !== undefined && !isPem(tlsCa) && !existsSync(tlsCa))
    found.push({ path: "tlsCa", why: "it is neither PEM text nor the path of a file" });
  return found;
}
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;
