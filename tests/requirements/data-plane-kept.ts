import { section } from "./row.ts";

export const dataPlaneKept = section("Kept responses", [
  ["D7.kept.jobs", "What is done by the clock is done by one process of a deployment at a time, and by another when that one dies."],
  [
    "D7.kept.conversation",
    "A response made by translation is kept: it can be read, its input items listed, deleted and continued by previous_response_id, also after a restart.",
  ],
  ["D7.kept.tenants", "It is visible to its workspace only; for others it does not exist, and errors are flat."],
  ["D7.kept.pages", "limit, order, after and before page its input items."],
  ["D7.kept.later", "What is complete cannot be cancelled; a deleted one is gone."],
  ["D7.kept.store", "store: false is respected, and nothing is kept under x-gateway-debug: false unless store: true is said."],
  ["D7.kept.guarded", "What is kept is the answer as guardrails left it."],
  ["D7.kept.native", "An id of the gateway's continues at a provider that has the API; a provider's own id travels to it."],
  ["D7.kept.away", "While the store is away answers are given and not kept, visibly, and kept ones are 503."],
]);
