/**
 * Run on Deno by `egress.test.ts`: asks URLs whose names have the address of this machine, which stands in for a public
 * one, and prints what each came to. Arguments: a file with the authority to trust, then the URLs.
 */
import { readFileSync } from "node:fs";
import { GatewayError } from "#contract";
import { createEgress } from "../../core/egress/egress.ts";

const [authority = "", ...urls] = process.argv.slice(2);
const lookedUp: string[] = [];
const egress = createEgress({
  trustedHosts: [],
  hardTimeoutMs: 10_000,
  now: Date.now,
  gatewayId: "0f1e2d3c4b5a6978",
  ca: readFileSync(authority, "utf8"),
  isPublic: (address) => address === "127.0.0.1",
  resolve: async (host) => {
    lookedUp.push(host);
    return [host.startsWith("private.") ? "127.0.0.2" : "127.0.0.1"];
  },
});

const outcomes: string[] = [];
for (const url of urls) {
  try {
    const { signal } = new AbortController();
    const answer = await egress.call({ url, method: "POST", headers: {}, body: "{}", signal, timeoutMs: null, caller: "acme" });
    outcomes.push(`${answer.status} ${(await answer.text()).length > 0 ? "with a body" : "empty"}`);
  } catch (thrown) {
    outcomes.push(GatewayError.is(thrown) ? `${thrown.code} ${String(thrown.details["why"] ?? "")}`.trim() : String(thrown));
  }
}
console.log(JSON.stringify({ outcomes, lookedUp, open: egress.open }));
process.exit(0);
