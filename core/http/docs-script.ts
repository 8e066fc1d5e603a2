import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import packageInfo from "../../package.json" with { type: "json" };
import { docsScript } from "../platform.ts";

/** Where the page's script is. The version stands in the path, so that a client may keep what it got for good. */
export const SCRIPT_PATH = `/docs/scalar-${packageInfo.dependencies["@scalar/fastify-api-reference"]}.js`;

/** The page's script: megabytes, so it is kept compressed only. */
export interface Script {
  readonly digest: string;
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

export async function readScript(): Promise<Script> {
  const bytes = await readFile(docsScript);
  const gzipped = new Uint8Array(await promisify(gzip)(bytes));
  return { gzipped, digest: createHash("sha256").update(bytes).digest("base64url") };
}

const FOREVER = "public, max-age=31536000, immutable";

/** The script for this client: compressed where it takes that, and not at all where it has it. */
export async function scriptAnswer({ headers: asked }: Request, { digest, gzipped }: Script): Promise<Response> {
  const packs = acceptsGzip(asked.get("accept-encoding"));
  const etag = `"${digest}${packs ? "-gzip" : ""}"`;
  const headers = { etag, "cache-control": FOREVER, vary: "accept-encoding", "x-content-type-options": "nosniff" };
  if (isKept(asked, etag)) return new Response(null, { status: 304, headers });
  return new Response(packs ? gzipped : new Uint8Array(await readFile(docsScript)), {
    headers: { ...headers, "content-type": "text/javascript; charset=utf-8", ...(packs && { "content-encoding": "gzip" }) },
  });
}

/** Has the client what this tag stands for? */
export const isKept = (asked: Headers, etag: string): boolean =>
  (asked.get("if-none-match") ?? "").split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);

function acceptsGzip(accepted: string | null): boolean {
  const named = (accepted ?? "").split(",").map((coding) => coding.trim().split(/\s*;\s*q=/i));
  const [, quality = "1"] = named.find(([coding]) => coding?.toLowerCase() === "gzip") ?? ["", "0"];
  return Number(quality) > 0;
}
