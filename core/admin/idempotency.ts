import { type Caller, type Counters, GatewayError, isJson, type Json, type KeyValue, PREFIX, type Route, type Vault } from "#contract";

/*
 * The Idempotency-Key of a POST (draft-ietf-httpapi-idempotency-key-header): what was done once is answered again, and not
 * done again, for a day, by every process. What is kept is sealed, as an answer may show a new key.
 */

export interface Remembering {
  readonly kv: KeyValue;
  readonly counters: Counters;
  readonly vault: Vault;
}
export const IDEMPOTENCY_HEADER = "idempotency-key";
const DAY_MS = 24 * 60 * 60 * 1000;
/** Of one organisation in one day. */
const MOST = { keys: 10_000, bytes: 64 * 1024 * 1024 };
const MOST_ANSWER_BYTES = 256 * 1024;
/** A first request that has not ended by then was left by a process that ended. */
const LOST_AFTER_MS = 120_000;

/** Does the route take one? What nobody is known for has no keys of anybody's, and the data plane's answers are its providers'. */
export const takesIdempotencyKey = ({ method, plane, scope }: Pick<Route, "method" | "plane" | "scope">): boolean =>
  method === "POST" && plane !== "data" && !(typeof scope === "object" && "public" in scope);

/** The same route; a request with a key that it has answered is answered so again. */
export function remembering(route: Route, by: Remembering): Route {
  if (!takesIdempotencyKey(route)) return route;
  return {
    ...route,
    handle(input) {
      const sent = input.request.headers.get(IDEMPOTENCY_HEADER);
      if (sent === null) return route.handle(input);
      const asked: Asked = { name: nameOf(route, input.caller, judged(sent), by.vault), print: printOf(input, by.vault), now: input.now };
      return once(asked, input.caller, by, async () => route.handle(input));
    },
  };
}

/* ── which request it is ─────────────────────────────────────────────────────────────────────────────────────── */

interface Asked {
  /** Where it is kept. */
  readonly name: string;
  /** What was asked, and what its caller may do: the same key stands for the same of these. */
  readonly print: string;
  readonly now: number;
}

/** As the draft writes it, in quotes, or bare as most clients do. */
const KEY = /^(?:"([\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/;
function judged(sent: string): string {
  const [, quoted, bare] = KEY.exec(sent.trim()) ?? [];
  const key = quoted ?? bare;
  if (key !== undefined) return key;
  throw new GatewayError("HEADER_INVALID", {
    header: IDEMPOTENCY_HEADER,
    why: "it holds 1 to 255 letters, digits or signs without spaces, such as a UUID",
  });
}

const nameOf = ({ plane, path }: Route, { organisationId, keyId }: Caller, key: string, vault: Vault): string =>
  `idempotency:${vault.digest(JSON.stringify([organisationId, keyId, PREFIX[plane] + path, key]))}`;

function printOf({ body, request, caller }: Parameters<Route["handle"]>[0], vault: Vault): string {
  const { pathname, search } = new URL(request.url);
  return vault.digest(JSON.stringify([pathname, search, body ?? null, caller.workspaceId, [...caller.scopes].sort()]));
}

/* ── what became of it ───────────────────────────────────────────────────────────────────────────────────────── */

type Kept =
  | { readonly state: "running"; readonly print: string; readonly since: number }
  /** Without an answer where that is not kept. */
  | { readonly state: "done"; readonly print: string; readonly answer?: Json }
  | { readonly state: "failed"; readonly print: string };

async function once(asked: Asked, caller: Caller, by: Remembering, run: () => Promise<unknown>): Promise<Json | Response> {
  const { name, print, now } = asked;
  if (!(await by.kv.add(name, sealed({ state: "running", print, since: now }, name, by), DAY_MS))) return again(asked, by);
  await counted(asked, caller, by);
  try {
    const answer = await run();
    await keep(asked, await toKeep(answer, asked, caller, by), by);
    return answer as Json | Response; // what the route answers
  } catch (thrown) {
    await forgetRefused(thrown, asked, by);
    throw thrown;
  }
}

/** What was refused was not done, and may be sent again; whether what failed was done, nobody can tell. */
async function forgetRefused(thrown: unknown, asked: Asked, by: Remembering): Promise<void> {
  if (GatewayError.is(thrown) && thrown.status < 500) await by.kv.delete(asked.name);
  else await keep(asked, { state: "failed", print: asked.print }, by);
}

async function counted({ name, now }: Asked, { organisationId }: Caller, { kv, counters }: Remembering): Promise<void> {
  const { granted } = await counters.reserve([{ ...counterOf("keys", organisationId, now), by: 1, limit: MOST.keys }]);
  if (granted) return;
  await kv.delete(name);
  throw new GatewayError("IDEMPOTENCY_FULL", { most: MOST.keys });
}
function counterOf(what: keyof typeof MOST, organisationId: string, now: number) {
  const day = Math.floor(now / DAY_MS);
  return { key: `idempotency:${what}:${organisationId}:${day}`, expiresAt: (day + 1) * DAY_MS };
}

/** An answer that would take more room than there is is not kept: that it was given is. */
async function toKeep(answer: unknown, { print, now }: Asked, { organisationId }: Caller, { counters }: Remembering): Promise<Kept> {
  if (!isJson(answer) || answer instanceof Response) return { state: "done", print };
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  if (bytes > MOST_ANSWER_BYTES) return { state: "done", print };
  const { granted } = await counters.reserve([{ ...counterOf("bytes", organisationId, now), by: bytes, limit: MOST.bytes }]);
  return { state: "done", print, ...(granted && { answer }) };
}

const keep = ({ name }: Asked, kept: Kept, by: Remembering): Promise<void> => by.kv.set(name, sealed(kept, name, by), DAY_MS);

/** What was asked before: its answer, or why there is none. */
async function again(asked: Asked, by: Remembering): Promise<Response> {
  const kept = await readKept(asked, by);
  if (kept?.print !== undefined && kept.print !== asked.print) throw new GatewayError("IDEMPOTENCY_REUSED");
  if (kept?.state === "done" && kept.answer) return replayed(kept.answer);
  if (kept === undefined || (kept.state === "running" && asked.now - kept.since < LOST_AFTER_MS))
    throw new GatewayError("IDEMPOTENCY_RUNNING");
  throw new GatewayError("IDEMPOTENCY_UNSURE", { how: HOW[kept.state] });
}
const HOW: Readonly<Record<Kept["state"], string>> = {
  running: "was left unfinished by a process that ended",
  failed: "failed on the way",
  done: "was carried out, and its answer was too large to be kept",
};

const REPLAYED = "idempotency-replayed";
const replayed = (answer: Json): Response =>
  new Response(JSON.stringify(answer), { headers: { "content-type": "application/json;charset=utf-8", [REPLAYED]: "true" } });
/** Was it given before? Then nothing was done for it now. */
export const isReplay = (answer: unknown): boolean => answer instanceof Response && answer.headers.has(REPLAYED);

const sealed = (kept: Kept, name: string, { vault }: Remembering): Uint8Array =>
  vault.sealContent(new TextEncoder().encode(JSON.stringify(kept)), name);
async function readKept({ name }: Asked, { kv, vault }: Remembering): Promise<Kept | undefined> {
  const bytes = await kv.get(name);
  return bytes && (JSON.parse(new TextDecoder().decode(vault.openContent(bytes, name))) as Kept); // nobody else seals under this name
}
