import type { Host } from "../evaluate.ts";
import { judged, ownCriteria } from "../judge.ts";

export default (host: Host) => judged(host, { id: "partner_d.isConcise", title: "The answer is concise", by: ownCriteria("is-concise") });
