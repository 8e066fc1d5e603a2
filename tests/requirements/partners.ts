import { section } from "./row.ts";

export const partners = section("Partner checks and their credentials", [
  [
    "G.partners.protocol",
    "Each third-party check asks its vendor in the vendor's own form, and reads what passes, what fails and what is redacted from its answer.",
  ],
  [
    "G.partners.more",
    "Checks of vendors beyond the specification are served under their own ids: azure, lakera, walledai, patronus, pangea, promptsecurity, qualifire, javelin, f5-guardrails, crowdstrike-aidr, exa, tavily, zscaler, cato, akto and alibaba-cloud-ai.",
  ],
  [
    "G.partners.fixtures",
    "Each third-party check has fixtures for what its vendor accepts, refuses and redacts, with the request byte by byte, and for 401, 429, 500, silence, broken and late answers.",
  ],
  ["G.partners.bounded", "What is shown of a vendor's answer is bounded: 16384 characters of data and 500 of a reason."],
  ["G.partners.pieces", "A text that is longer than a vendor takes is judged in pieces, and none of it passes unjudged."],
  ["G.partners.search", "A web search gives the model what it finds, in the place where the request's dialect tells the model things."],
  [
    "G.partners.failures",
    "401 of a vendor is an error of class auth, 429 and 5xx of unavailable, silence of timeout, 413 of budget, anything else of malformed: never a pass, never a denial.",
  ],
  [
    "G.partners.parameters",
    "Each third-party check has the parameters and defaults of its vendor: a timeout of 5000 ms, of 15000 where it is custom.",
  ],
  ["G.partners.signed", "Requests to a cloud's guardrail are signed, with an access key or an assumed role."],
  [
    "G.credentials.records",
    "An organisation and each workspace keep one account for each plugin under /v2/plugins, by the scopes plugins.*.",
  ],
  ["G.credentials.secret", "What is secret of an account is sealed where it is stored and shown in no answer, error or log."],
  ["G.jwt.kept", "Keys for tokens are kept of 200 addresses; what a client sent along to them is kept as a hash."],
  [
    "G.credentials.own-key",
    "A key of the gateway is refused as a credential of a vendor, and one that it made as that of a provider, with the member's name.",
  ],
  ["G.credentials.schema", "The plugin's own schema says what an account is: anything else is refused, with the member's name."],
  [
    "G.credentials.precedence",
    "A check uses its workspace's account, or else its organisation's, or else the deployment's; another workspace's never.",
  ],
  ["G.credentials.missing", "Without an account a check is an error of class auth, which keeps a guardrail that denies shut."],
]);
