import type { Host } from "../evaluate.ts";
import { judged } from "../judge.ts";

export default (host: Host) => judged(host, { id: "partner_d.toxicity", title: "The answer is not toxic", by: { evaluator: "toxicity" } });
