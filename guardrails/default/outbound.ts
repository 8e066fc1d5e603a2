import { GatewayError, type Handles, messageOf, type PluginRequestInit } from "#contract";

/** Who calls for the check. */
type Caller = Pick<Handles, "fetch">;

/** Nobody reads it: its connection may serve again. */
export async function discarded(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined); // it has ended, one way or another
}

const MAX_REDIRECTS = 5;
/** Fetches, and goes where it is sent: the host judges every address anew. Headers stay with whom they were meant for. */
export async function following(host: Caller, url: string, init: PluginRequestInit): Promise<Response> {
  let at = new URL(url);
  for (let redirects = 0; ; redirects += 1) {
    const mine = at.origin === new URL(url).origin;
    const response = await host.fetch(at.href, { ...init, headers: mine ? (init.headers ?? {}) : {} });
    const next = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (next === null || redirects === MAX_REDIRECTS || !URL.canParse(next, at)) return response;
    await discarded(response);
    at = new URL(next, at);
  }
}
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The whole body; throws UPSTREAM_INVALID where it is longer. */
export async function bytesOf(response: Response, maxBytes: number, provider: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > maxBytes) throw new GatewayError("UPSTREAM_INVALID", { provider, why: `the answer has more than ${maxBytes} bytes` }); // ending the loop cancels the body
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}

/** The JSON of a good answer; throws what a check's error is made of. */
export async function jsonFrom(host: Caller, url: string, init: RequestInit, maxBytes: number): Promise<unknown> {
  const provider = new URL(url).host;
  const response = await host.fetch(url, init);
  if (!response.ok) {
    await discarded(response);
    throw new GatewayError("UPSTREAM_UNREACHABLE", { provider, why: `it answered ${response.status}` });
  }
  const bytes = await bytesOf(response, maxBytes, provider);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (thrown) {
    throw new GatewayError("UPSTREAM_INVALID", { provider, why: messageOf(thrown) });
  }
}
