import { type Static, Type } from "@sinclair/typebox";
import { type Handles, remoteCheck, TOLD_TYPES, vendorParams, withSystemText } from "#contract";
import { Credentials } from "../credentials.ts";

const Around = (usual: string, where: string) =>
  Type.String({ default: usual, maxLength: 10_000, description: `Text that stands ${where} the results.` });
const Domains = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 253, description: "Domain." }), { maxItems: 1200, description }));
const Params = Type.Object({
  prefix: Around("\n<web_search_context>", "before"),
  suffix: Around("\n</web_search_context>", "behind"),
  numResults: Type.Integer({ default: 5, minimum: 1, maximum: 100, description: "Results that the model is given at most." }),
  includeDomains: Domains("Look only there."),
  excludeDomains: Domains("Do not look there."),
  ...vendorParams(10_000),
});
const Found = Type.Object({
  url: Type.String(),
  title: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  text: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  publishedDate: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const Reply = Type.Object({ results: Type.Array(Found) });

/** Characters of a question that are searched for, and of each result that are given. */
const MAX_QUERY = 2_000;
const MAX_RESULT = 4_000;

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "exa.online",
    title: "The model is given what a web search finds",
    on: ["input"],
    operations: [...TOLD_TYPES],
    denies: false,
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Reply,
    unasked: ({ text, call }) => (text.trim() === "" || call.request === null ? { verdict: "allow" } : undefined),
    url: () => "https://api.exa.ai/search",
    headers: (_, { apiKey }) => ({ "x-api-key": apiKey }),
    ask: ({ text, params: { numResults, includeDomains, excludeDomains } }) => ({
      query: text.trim().slice(0, MAX_QUERY),
      numResults,
      contents: { text: { maxCharacters: MAX_RESULT } },
      includeDomains,
      excludeDomains,
    }),
    judge({ results }, { params, call }) {
      const data = { sources: results.map(({ title, url, publishedDate }) => ({ title, url, published_date: publishedDate })) };
      if (results.length === 0 || call.request === null) return { verdict: "allow", data };
      const text = `${params.prefix}\n${results.map(shown).join("")}${params.suffix}`;
      return { verdict: "transform", patches: [{ body: withSystemText(call.request, call.requestType, text) }], data };
    },
  });

function shown({ url, title, text, publishedDate }: Static<typeof Found>, index: number): string {
  const date = publishedDate ? `Date: ${publishedDate}\n` : "";
  return `[${index + 1}] "${title ?? url}"\nURL: ${url}\n${date}${(text ?? "").slice(0, MAX_RESULT)}\n`;
}
