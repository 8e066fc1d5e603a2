import { Type } from "@sinclair/typebox";
import { type CheckInput, type Handles, type Verdict, defineCheck, maskUrl } from "#contract";
import { Not } from "../counted.ts";
import { ForwardHeaders, forwarded } from "#contract";
import { inParallel } from "../in-parallel.ts";
import { discarded, following } from "../outbound.ts";
import { decided, excerpt, noText } from "../text.ts";
import { urlsIn } from "../urls.ts";

const MAX_URLS = 50;
const AT_ONCE = 10;
const URL_MS = 3_000;

const Params = Type.Object({
  onlyDNS: Type.Boolean({ default: false, description: "Only look the names up, and ask nobody." }),
  not: Not,
  forwardHeaders: ForwardHeaders,
});
type Input = CheckInput<typeof Params.static>;
type Host = Pick<Handles, "fetch" | "resolve">;

/** Addresses that the gateway may not call are none that work: whoever wrote the text learns nothing of what is inside. */
export default (host: Host) =>
  defineCheck({
    id: "default.validUrls",
    title: "The URLs in the text work",
    on: ["output"],
    targets: ["llm", "mcp_tools"],
    timeoutMs: 20_000,
    measures: () => true,
    params: Params,
    async run(input): Promise<Verdict> {
      const { text, params } = input;
      if (text === "") return noText;
      const urls = urlsIn(text, MAX_URLS);
      if (urls === null)
        return { verdict: "error", class: "budget", message: `The text has more than ${MAX_URLS} URLs, and no more are looked at.` };
      const works = await inParallel(urls, AT_ONCE, (url) => withinTime(params.onlyDNS ? resolves(host, url) : answers(host, url, input)));
      return judged(urls, works, { not: params.not, onlyDNS: params.onlyDNS, textExcerpt: excerpt(text) });
    },
  });

interface Shown {
  readonly not: boolean;
  readonly onlyDNS: boolean;
  readonly textExcerpt: string;
}
function judged(urls: readonly string[], works: readonly boolean[], { not, onlyDNS, textExcerpt }: Shown): Verdict {
  const all = works.every(Boolean);
  const verdict = urls.length > 0 && all !== not;
  const data = {
    verdict,
    not,
    validUrls: urls.filter((_, index) => works[index]).map(maskUrl),
    invalidUrls: urls.filter((_, index) => !works[index]).map(maskUrl),
    validationMethod: onlyDNS ? "DNS lookup" : "HTTP request",
    textExcerpt,
  };
  if (urls.length === 0) return decided(verdict, { ...data, explanation: "The text has no URLs." });
  const working = works.filter(Boolean).length;
  return decided(verdict, { ...data, explanation: `Of the URLs in the text, ${working} of ${urls.length} work.` });
}

/** One that takes longer does not work. */
async function withinTime(asked: Promise<boolean>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), URL_MS);
  });
  return Promise.race([asked.catch(() => false), late]).finally(() => clearTimeout(timer)); // whatever keeps it from answering, it does not
}

async function answers(host: Host, url: string, { params, call, signal }: Input): Promise<boolean> {
  const init = { method: "HEAD", headers: forwarded(params.forwardHeaders, call) };
  const response = await following(host, url, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(URL_MS)]) });
  await discarded(response);
  return response.ok;
}
const resolves = async ({ resolve }: Host, url: string): Promise<boolean> => (await resolve(new URL(url).hostname)).length > 0;
