import type { Host } from "../evaluate.ts";
import { judged, ownCriteria } from "../judge.ts";

export default (host: Host) => judged(host, { id: "partner_d.isHelpful", title: "The answer is helpful", by: ownCriteria("is-helpful") });
