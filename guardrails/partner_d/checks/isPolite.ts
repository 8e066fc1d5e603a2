import type { Host } from "../evaluate.ts";
import { judged, ownCriteria } from "../judge.ts";

export default (host: Host) => judged(host, { id: "partner_d.isPolite", title: "The answer is polite", by: ownCriteria("is-polite") });
