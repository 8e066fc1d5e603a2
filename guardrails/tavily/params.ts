import { type Static, Type } from "@sinclair/typebox";
import { OneOf, vendorParams } from "#contract";

const Around = (usual: string, where: string) =>
  Type.String({ default: usual, maxLength: 10_000, description: `Text that stands ${where} the results.` });
const Domains = (most: number, description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 253, description: "Domain." }), { maxItems: most, description }));
const Day = (description: string) => Type.Optional(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", description }));
const On = (description: string) => Type.Optional(Type.Boolean({ description }));

export const Params = Type.Object({
  prefix: Around("\n<web_search_context>", "before"),
  suffix: Around("\n</web_search_context>", "behind"),
  maxResults: Type.Integer({ default: 5, minimum: 1, maximum: 20, description: "Results that the model is given at most." }),
  searchDepth: Type.Optional(
    OneOf(["advanced", "basic", "fast", "ultra-fast"], { description: "How thoroughly the vendor looks; default: basic." }),
  ),
  chunksPerSource: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 3, description: "Pieces of one source, where the depth is advanced or fast." }),
  ),
  topic: Type.Optional(OneOf(["general", "news", "finance"], { description: "What is looked for; default: general." })),
  timeRange: Type.Optional(OneOf(["day", "week", "month", "year", "d", "w", "m", "y"], { description: "How old a source may be." })),
  startDate: Day("Sources after this day, YYYY-MM-DD."),
  endDate: Day("Sources before this day, YYYY-MM-DD."),
  includeAnswer: Type.Boolean({ default: false, description: "Give the vendor's own answer, too." }),
  includeDomains: Domains(300, "Look only there."),
  excludeDomains: Domains(150, "Do not look there."),
  country: Type.Optional(
    Type.String({ pattern: "^[a-z ]{1,64}$", description: "Country whose sources come first, where the topic is general." }),
  ),
  autoParameters: On("Have the vendor choose what is not given here."),
  exactMatch: On("Only results with the phrases that the question quotes."),
  safeSearch: On("Leave unsafe content out; not for the fast depths."),
  ...vendorParams(30_000),
});
export type Params = Static<typeof Params>;
