import { type Catalog, GatewayError, refuseGatewayKey, type Vault } from "#contract";

/** Headers of the framing are the connection's, and those of the gateway are for the gateway. */
const OWN_FRAMING: ReadonlySet<string> = new Set(["content-type", "content-encoding", "accept", "accept-encoding"]);

/** Throws for headers that a saved host may not be sent. */
export function judgeHeaders(
  headers: Readonly<Record<string, unknown>>,
  param: string,
  { catalog, vault }: { catalog: Catalog; vault: Vault },
): void {
  for (const [name, value] of Object.entries(headers)) {
    const at = `${param}.${name}`;
    const low = name.toLowerCase();
    if (!/^[a-z0-9-]{1,128}$/.test(low)) throw invalid("it has a name that is none of a header", param);
    if (!catalog.headers.of(low).forwardedToProvider || OWN_FRAMING.has(low))
      throw invalid("the gateway writes this one itself, or it never leaves", at);
    if (typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw invalid("its value is none of a header", at);
    refuseGatewayKey(value, vault, at);
  }
}
const invalid = (why: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The header cannot be sent: ${why}.` }, { param });
