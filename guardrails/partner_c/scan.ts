import { Type } from "@sinclair/typebox";
import { type Check, type Handles, OneOf, type RemoteCheck, type SegmentKind, type Side, remoteCheck, vendorParams } from "#contract";
import { Credentials } from "./credentials.ts";

export type Host = Pick<Handles, "fetch">;

const SCANNERS = ["prompt_injection", "pii", "secrets", "toxic_language", "invisible_characters"] as const;

/** One member per scanner: null or false when it found nothing. */
const Reply = Type.Record(Type.String(), Type.Unknown());
const Params = Type.Object({
  scanners: Type.Array(OneOf(SCANNERS, { description: "Scanner." }), { minItems: 1, description: "What to scan for." }),
  ...vendorParams(),
});

interface Scan {
  readonly id: string;
  readonly title: string;
  readonly side: Side;
  /** Last part of the address. */
  readonly path: "prompt" | "response";
  readonly wants: readonly SegmentKind[];
}

/** The vendor's protocol: two checks that differ in address and side. */
export const scan = (host: Host, { id, title, side, path, wants }: Scan): Check =>
  remoteCheck(host, {
    id,
    title,
    on: [side],
    wants,
    scope: "turn",
    params: Params,
    reply: Reply,
    url: () => `https://api.pillarseclabs.com/api/v1/scan/${path}`,
    credentials: Credentials,
    headers: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
    ask: ({ text, params }) => ({ message: text, scanners: Object.fromEntries(params.scanners.map((scanner) => [scanner, true])) }),
    judge,
  });

const judge: RemoteCheck<typeof Params, typeof Reply>["judge"] = (reply, { params }) => {
  const missing = params.scanners.filter((scanner) => reply[scanner] === undefined);
  const hits = SCANNERS.filter((scanner) => reply[scanner] !== undefined && reply[scanner] !== null && reply[scanner] !== false);
  const data = { scanners: params.scanners, found: hits }; // what was found may itself be a secret, so only its kind is shown
  if (hits.length > 0) return { verdict: "deny", reason: `Found by ${hits.join(", ")}.`, data };
  if (missing.length > 0)
    return { verdict: "error", class: "malformed", message: `The service did not answer for ${missing.join(", ")}.`, data };
  return { verdict: "allow", data };
};
