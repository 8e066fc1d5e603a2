import type { Config } from "./config.ts";

const FORM = "write redis://user:password@host:6379/0";

/** What is wrong with a configuration beyond its schema. */
export function problems({ url }: Partial<Config>): readonly { readonly path: string; readonly why: string }[] {
  const why = url === undefined ? undefined : urlProblem(url);
  return why === undefined ? [] : [{ path: "url", why }];
}

function urlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return `it is no URL (a port is at most 65535, and spaces or @ : / in a password are percent-encoded); ${FORM}`;
  const { hostname, pathname } = new URL(url);
  if (hostname === "") return `it names no host; ${FORM}`;
  if (!/^\/?\d*$/.test(pathname)) return `the database is a number; ${FORM}`;
  return isDecodable(url) ? undefined : "it holds a % that begins no escape; write %25 for the character itself";
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
