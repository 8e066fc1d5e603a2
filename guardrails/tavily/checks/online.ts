import { type Handles, remoteCheck, TOLD_TYPES, withSystemText } from "#contract";
import { Credentials } from "../credentials.ts";
import { Params } from "../params.ts";
import { bodyOf, contextOf, Reply } from "../search.ts";

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "tavily.online",
    title: "The model is given what a web search finds",
    on: ["input"],
    operations: [...TOLD_TYPES],
    denies: false,
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Reply,
    unasked: ({ text, call }) => (text.trim() === "" || call.request === null ? { verdict: "allow" } : undefined),
    url: () => "https://api.tavily.com/search",
    headers: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
    ask: ({ text, params }) => bodyOf(text, params),
    judge(reply, { params, call }) {
      const data = { sources: reply.results.map(({ title, url }) => ({ title, url })) };
      if (reply.results.length === 0 || call.request === null) return { verdict: "allow", data };
      const text = contextOf(reply, params);
      return { verdict: "transform", patches: [{ body: withSystemText(call.request, call.requestType, text) }], data };
    },
  });
