import {
  type Caller,
  type Counters,
  GatewayError,
  isJson,
  type Json,
  type KeyValue,
  type Logger,
  messageOf,
  PREFIX,
  type Route,
  type Vault,
} from "#contract";
import { counted, given, uncounted } from "./idempotency-shares.ts";

/*
 * The Idempotency-Key of a POST (draft-ietf-httpapi-idempotency-key-header): what was done once is answered again, and not
 * done again, for a day, by every process. What is kept is sealed, as an answer may show a new key.
 */

export interface Remembering {
  readonly kv: KeyValue;
  readonly counters: Counters;
  readonly vault: Vault;
  readonly log: Logger;
}
export const IDEMPOTENCY_HEADER = "idempotency-key";
const DAY_MS = 24 * 60 * 60 * 1000;
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
  /** Without an answer where that is not kept, and then with the reason. */
  | { readonly state: "done"; readonly print: string; readonly answer?: Json; readonly unkept?: keyof typeof UNKEPT }
  | { readonly state: "failed"; readonly print: string };

async function once(asked: Asked, caller: Caller, by: Remembering, run: () => Promise<unknown>): Promise<Json | Response> {
  const { name, print, now } = asked;
  if (!(await by.kv.add(name, sealed({ state: "running", print, since: now }, name, by), DAY_MS))) return again(asked, by);
  await counted(caller, asked, by.counters).catch(async (thrown: unknown) => {
    await noted("forget", asked, by, () => by.kv.delete(name)); // nothing was begun
    throw thrown;
  });
  const answer = await run().catch(async (thrown: unknown) => {
    await noted("keep", asked, by, () => forgetRefused(thrown, asked, caller, by));
    throw thrown;
  });
  await noted("keep", asked, by, async () => keep(asked, await toKeep(answer, asked, caller, by), by));
  return answer as Json | Response; // what the route answers
}

/** What became of the request is what its client hears, even where nobody can remember it. */
const noted = (deed: "keep" | "forget", { name }: Asked, { log }: Remembering, remember: () => Promise<void>): Promise<void> =>
  remember().catch((thrown: unknown) =>
    log("warn", `idempotency.not_${deed === "keep" ? "kept" : "forgotten"}`, { name, why: messageOf(thrown) }),
  );

/** What was refused was not done, counts for nothing and may be sent again; whether what failed was done, nobody can tell. */
async function forgetRefused(thrown: unknown, asked: Asked, caller: Caller, by: Remembering): Promise<void> {
  if (!GatewayError.is(thrown) || thrown.status >= 500) return keep(asked, { state: "failed", print: asked.print }, by);
  await by.kv.delete(asked.name);
  await uncounted(caller, asked, by.counters);
}

/** An answer that would take more room than there is is not kept: that it was given is. */
async function toKeep(answer: unknown, asked: Asked, caller: Caller, { counters }: Remembering): Promise<Kept> {
  const done = { state: "done", print: asked.print } as const;
  if (!isJson(answer) || answer instanceof Response) return { ...done, unkept: "kind" };
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  if (bytes > MOST_ANSWER_BYTES) return { ...done, unkept: "size" };
  return (await given(bytes, caller, asked, counters)) ? { ...done, answer } : { ...done, unkept: "room" };
}

const keep = ({ name }: Asked, kept: Kept, by: Remembering): Promise<void> => by.kv.set(name, sealed(kept, name, by), DAY_MS);

/** What was asked before: its answer, or why there is none. */
async function again(asked: Asked, by: Remembering): Promise<Response> {
  const kept = await readKept(asked, by);
  if (kept?.print !== undefined && kept.print !== asked.print) throw new GatewayError("IDEMPOTENCY_REUSED");
  if (kept?.state === "done" && kept.answer) return replayed(kept.answer);
  if (kept === undefined || (kept.state === "running" && asked.now - kept.since < LOST_AFTER_MS))
    throw new GatewayError("IDEMPOTENCY_RUNNING");
  throw new GatewayError("IDEMPOTENCY_UNSURE", { how: howOf(kept) });
}
const howOf = (kept: Kept): string =>
  kept.state === "done" ? `was carried out, and its answer ${kept.unkept ? UNKEPT[kept.unkept] : "was not kept"}` : HOW[kept.state];
const HOW = {
  running: "left no word of its end: its process ended, or what became of it could not be kept",
  failed: "failed on the way",
} as const;
const UNKEPT = {
  kind: "is of a kind that is not kept",
  size: "was too large to be kept",
  room: "was not kept, as those of this organisation had used up the day's room",
} as const;

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
