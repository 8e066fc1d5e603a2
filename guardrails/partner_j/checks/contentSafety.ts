import { Type } from "@sinclair/typebox";
import { OneOf, remoteCheckOfEach, SAID, vendorParams } from "#contract";
import { accessBy, addressOf } from "../access.ts";
import { Credentials } from "../credentials.ts";
import type { Host } from "../token.ts";

/** Characters that the vendor takes at one time. */
const MAX_TEXT = 10_000;
const CATEGORIES = ["Hate", "SelfHarm", "Sexual", "Violence"] as const;
const Params = Type.Object({
  blocklistNames: Type.Array(Type.String({ minLength: 1, maxLength: 255, description: "Name of a blocklist." }), {
    maxItems: 100,
    default: [],
    description: "Blocklists of the resource that a text may not match.",
  }),
  apiVersion: Type.String({ default: "2024-09-01", pattern: "^[\\w.-]+$", maxLength: 64, description: "Version of the vendor's API." }),
  severity: Type.Number({ default: 2, minimum: 0, maximum: 7, description: "Severity from which a text fails." }),
  categories: Type.Array(OneOf(CATEGORIES, { description: "Category." }), {
    default: [...CATEGORIES],
    description: "What a text may not be.",
  }),
  ...vendorParams(),
});

export default (host: Host) => {
  const access = accessBy(host);
  return remoteCheckOfEach(host, {
    id: "partner_j.contentSafety",
    title: "Harmful content by severity, and blocklists",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    params: Params,
    credentials: Credentials,
    reply: Type.Object({
      categoriesAnalysis: Type.Array(Type.Object({ category: Type.String(), severity: Type.Optional(Type.Number()) })),
      blocklistsMatch: Type.Optional(Type.Array(Type.Object({ blocklistName: Type.Optional(Type.String()) }))),
    }),
    url: ({ params }, account) => addressOf(account, "/contentsafety/text:analyze", params.apiVersion),
    headers: (_, account) => access(account),
    longest: MAX_TEXT,
    ask: ({ text }, { params: { categories, blocklistNames } }) => ({ text, categories, blocklistNames }),
    judge({ categoriesAnalysis, blocklistsMatch = [] }, _, { params }) {
      const severe = categoriesAnalysis.filter(({ severity = 0 }) => severity >= params.severity).map(({ category }) => category);
      const blocklists = [...new Set(blocklistsMatch.map(({ blocklistName = "a blocklist" }) => blocklistName))]; // what it matched is not shown
      const found = [...severe, ...blocklists];
      return { reason: found.length > 0 ? `Found: ${found.join(", ")}.` : null, data: { categoriesAnalysis, blocklists } };
    },
  });
};
