import type { GatewayError, WireError } from "#contract";
import { maySay } from "../../egress/web-socket/messages.ts";
import type { Ending } from "../stream/deliver.ts";
import type { SocketEnd } from "../../platform.ts";
import { wireError } from "../stream/live.ts";
import type { Direction } from "./direction.ts";

/** Who ended a session, and what they said. */
export interface Close {
  readonly by: "client" | "provider" | "gateway";
  /** 1005: without a code; 1006: the connection broke. */
  readonly code: number;
  readonly reason: string;
  /** Of the gateway's own. */
  readonly error?: GatewayError;
}

const NORMAL: ReadonlySet<number> = new Set([1000, 1001, 1005]);
/** What a close frame says in place of a code that none may say. */
const BROKEN = { client: 1001, provider: 1014, gateway: 1011 } as const;

/** What the other side is told: the same, or what a broken connection means to it. */
export function passedOn({ by, code, reason }: Close): [code: number, reason: string] {
  if (code === 1005) return [1000, ""];
  if (maySay(code)) return [code, reason];
  return [BROKEN[by], by === "provider" ? "the provider's connection broke" : "the client has gone"];
}

/** What the gateway's own errors are as closes: who may not (1008), what there is no room for (1013), what a provider does wrong (1014). */
export function closeFor(error: GatewayError): Pick<Close, "code" | "reason" | "error"> {
  return { code: codeFor(error), reason: error.message, error };
}
function codeFor({ code, status }: GatewayError): number {
  if (code === "MEMORY_FULL") return 1013;
  if (code === "UPSTREAM_INVALID") return 1014;
  return status < 500 ? 1008 : 1011;
}

/** How the session is told of: a side that has had enough is no error, one that broke is. */
export function endedBy({ by, code, reason, error }: Close, provider: string): Pick<Ending, "ended" | "error"> {
  if (error) return { ended: "partial", error: wireError(error) };
  if (by === "client") return code === 1006 ? { ended: "aborted" } : { ended: "ok" };
  if (NORMAL.has(code)) return { ended: "ok" };
  return { ended: "partial", error: toldOf(by === "provider" ? `${provider} error: ` : "", code, reason) };
}
const toldOf = (who: string, code: number, reason: string): WireError => ({
  message: `${who}the session was closed with code ${code}${reason === "" ? "" : `: ${reason}`}`,
  type: "api_error",
  param: null,
  code: `close_${code}`,
});

/** Whoever is behind would hear of it last of all: what the gateway ends, ends at once, with what waits for it. */
export function closeEnd({ fullSince }: Pick<Direction, "fullSince">, end: SocketEnd | undefined, close: Close): void {
  if (close.by === "gateway" && fullSince !== null) end?.cut();
  else end?.close(...passedOn(close));
}
