import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { Handles } from "./capability.ts";
import {
  type Check,
  type CheckInput,
  type RemoteCheck,
  type RemoteCheckOfEach,
  type Segment,
  type Verdict,
  defineCheck,
} from "./guardrail.ts";
import type { Json } from "./json.ts";
import { judgedEach } from "./text-findings.ts";
import { vendorCall } from "./vendor.ts";

/**
 * Makes a check out of a vendor's HTTP protocol. POSTs `ask` with the check's own deadline, judges a reply of the declared
 * shape, and turns everything else (timeout, 401, 5xx, other JSON, no account) into its error class.
 */
export function remoteCheck<P extends TSchema, R extends TSchema, C extends TObject = TObject>(
  host: Pick<Handles, "fetch">,
  remote: RemoteCheck<P, R, C>,
): Check {
  const { url: _, headers: __, reply: ___, credentials, ask, judge, unasked, ...check } = remote;
  const post = posting(host, remote);
  return defineCheck<P>({
    ...check,
    async run(input: CheckInput<Static<P>>): Promise<Verdict> {
      const known = unasked?.(input);
      if (known !== undefined) return known;
      const account = await accountOf(input, credentials);
      return bounded(judge(await post(input, account, ask(input, account)), input));
    },
  });
}

/** The same for a vendor who is asked about one text at a time: a few at once, and those without a word not at all. */
export function remoteCheckOfEach<P extends TSchema, R extends TSchema, C extends TObject = TObject>(
  host: Pick<Handles, "fetch">,
  remote: RemoteCheckOfEach<P, R, C>,
): Check {
  const { url: _, headers: __, reply: ___, credentials, ask, judge, longest, ...check } = remote;
  const post = posting(host, remote);
  return defineCheck<P>({
    ...check,
    async run(input: CheckInput<Static<P>>): Promise<Verdict> {
      const account = await accountOf(input, credentials);
      const asked = async (segment: Segment) => judge(await post(input, account, ask(segment, input, account)), segment, input);
      return bounded(await judgedEach(input, asked, longest));
    },
  });
}

/** The pack's schema accepted the account when it was saved. */
const accountOf = async <C extends TObject>(input: CheckInput<unknown>, schema: C | undefined): Promise<Static<C>> =>
  schema === undefined ? {} : await input.credentials();

type Posted<P extends TSchema, R extends TSchema, C extends TObject> = Pick<RemoteCheck<P, R, C>, "id" | "url" | "headers" | "reply">;

/** Sends a body where the check sends its bodies, and gives the vendor's answer. */
function posting<P extends TSchema, R extends TSchema, C extends TObject>(
  host: Pick<Handles, "fetch">,
  { id, url, headers, reply }: Posted<P, R, C>,
) {
  const call = vendorCall(host, id, reply);
  return async (input: CheckInput<Static<P>>, account: Static<C>, asked: Json | string): Promise<Static<R>> => {
    const sent = { url: url(input, account), body: typeof asked === "string" ? asked : JSON.stringify(asked) };
    return call({ ...sent, headers: await headers(input, account, sent), input });
  };
}

/** Characters of a vendor's words that are shown, in data and in a reason: they stand in bodies, logs and events. */
const MAX_DATA = 16_384;
const MAX_REASON = 500;

function bounded(verdict: Verdict): Verdict {
  const shown = { ...verdict, ...(verdict.data !== undefined && { data: boundedData(verdict.data) }) };
  if (shown.verdict === "deny") return { ...shown, reason: beginning(shown.reason) };
  return shown.verdict === "error" ? { ...shown, message: beginning(shown.message) } : shown;
}
const beginning = (text: string): string => (text.length <= MAX_REASON ? text : `${text.slice(0, MAX_REASON)}…`);

function boundedData(data: unknown): unknown {
  const length = lengthOf(data);
  return length <= MAX_DATA ? data : { omitted: `${length} characters, more than the ${MAX_DATA} that are shown` };
}
function lengthOf(data: unknown): number {
  try {
    return JSON.stringify(data)?.length ?? 0;
  } catch {
    return 0; // it cannot be written: the engine shows nothing of it
  }
}
