import type { Host } from "../evaluate.ts";
import { judged } from "../judge.ts";

export default (host: Host) =>
  judged(host, {
    id: "partner_d.retrievalAnswerRelevance",
    title: "The answer is relevant to the question",
    by: { evaluator: "answer-relevance" },
  });
