import { GatewayError, type Handles, type Json, type Manifest, pluginName } from "#contract";
import type { Egress } from "../egress/egress.ts";

/** A plugin's `fetch`: the egress client, limited to the hosts that its manifest names, or that its configuration names where the manifest says so. */
export function fetchFor(manifest: Manifest, config: Json, egress: Egress): Handles["fetch"] {
  const plugin = pluginName(manifest);
  const hosts = hostsOf(manifest, config);
  return async (url, init = {}) => {
    const target = new URL(url);
    if (!hosts.some((pattern) => covers(pattern, target))) throw new GatewayError("HOST_NOT_DECLARED", { plugin, host: target.host });
    const { body, contentType } = await plainBody(init.body ?? null);
    const headers = new Headers(init.headers);
    if (contentType !== null && !headers.has("content-type")) headers.set("content-type", contentType);
    return egress.send({
      url: target.href,
      method: (init.method ?? "GET").toUpperCase(),
      headers: Object.fromEntries(headers),
      body,
      signal: init.signal ?? new AbortController().signal,
      timeoutMs: null,
      caller: plugin,
      declared: !hosts.includes("*"),
    });
  };
}

const hostsOf = (manifest: Manifest, config: Json): string[] =>
  (manifest.needs ?? []).filter((need) => need.startsWith("net:")).flatMap((need) => hostsIn(need.slice(4), config));

/** `net:{config.url}`: the host of that member, which may be a URL, a host, or a list of them. Nothing where it is not set. */
function hostsIn(named: string, config: Json): readonly string[] {
  const member = CONFIGURED_HOST.exec(named)?.[1];
  if (member === undefined) return [named.toLowerCase()];
  return [config[member]].flat().flatMap((value) => (typeof value === "string" && value !== "" ? [hostIn(value)] : []));
}
const CONFIGURED_HOST = /^\{config\.(\w+)\}$/;
const hostIn = (value: string): string => (value.includes("://") ? new URL(value).host : value).toLowerCase();

/** `net:*` any host, `net:*.acme.example` its subdomains, `net:acme.example[:port]` that one. */
function covers(pattern: string, target: URL): boolean {
  if (pattern === "*") return true;
  if (pattern.startsWith("*.")) return target.hostname.endsWith(pattern.slice(1));
  return pattern === target.hostname || pattern === target.host;
}

/** What egress can send: text, bytes or a stream; forms and blobs are read into bytes with their content type. */
async function plainBody(
  body: BodyInit | null,
): Promise<{ body: string | Uint8Array | ReadableStream<Uint8Array> | null; contentType: string | null }> {
  if (body === null || typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream)
    return { body, contentType: null };
  const read = new Response(body);
  return { body: new Uint8Array(await read.arrayBuffer()), contentType: read.headers.get("content-type") };
}
