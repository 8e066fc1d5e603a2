import { section } from "./row.ts";

/** The statuses that the gateway makes, and the order in which a request is worked on. */
export const dataPlaneStatuses = [
  ...section("Statuses", [
    ["D4.246", "Where a check failed and nothing was denied, the answer is whole, has its results, and the status 246."],
    ["D4.246-routing", "246 ends a fallback, unless the strategy lists it."],
    ["D4.446", "Where a guardrail denies, the answer is 446 with an error of the type hooks_failed and the results."],
    ["D4.446-routing", "446 lets a fallback go on, unless the strategy lists other statuses."],
    ["D4.446-retried", "446 and 246 of output guardrails are tried again where retry lists them."],
    ["D4.soft-deny", "A denial may be told as a chat completion of status 200."],
    ["D4.inline-blocked", "Where only saved resources may be used, an inline selection is 400.", "control plane"],
    ["D4.too-many-targets", "A config of more targets than a request may have is refused."],
    ["D4.model-forbidden", "A model that the workspace may not use is 403."],
    ["D4.budget", "A budget that is used up is 412; reading batches and files is not held to it.", "budgets"],
    ["D4.429-names", "429 names whose limit is reached."],
    ["D4.429-when", "429 says how much the limit is, and when to come back."],
    ["D4.500", "What fails inside is 500, with the id under which its cause is in the log, and no more."],
    ["D4.provider-codes", "A provider's own status is the answer's."],
    ["D4.error-form", "An error has error with message, type, param and code, and beside it status failure and message."],
  ]),
  ...section("Order of work", [
    ["D5.key-first", "A request's key is judged before anything else of it."],
    ["D5.limits-first", "What a rate limit refuses is neither judged by guardrails nor sent."],
    ["D5.metadata-schema", "Metadata is judged by the workspace's schema before a target is chosen.", "control plane"],
    ["D5.own-guardrails", "A target is chosen before guardrails run, and they run for the target that is asked."],
    ["D5.params-first", "Guardrails judge the body after override_params, default_params and drop_params, which is what is sent."],
    ["D5.guardrails-first", "Input guardrails run before the provider is asked, output guardrails behind it."],
    ["D5.async-beside", "Asynchronous guardrails run beside the request: nobody waits for them."],
    ["D5.changed-sent", "What a guardrail changed is what is sent."],
    ["D5.changed-cached", "What a guardrail changed is what is cached, and hits are found behind it.", "caches"],
    ["D5.budget-after-cache", "A budget is judged behind the cache: hits work for a provider without any left.", "budgets"],
    ["D5.translated-first", "Output guardrails judge an answer in the client's form, behind its translation."],
  ]),
];
