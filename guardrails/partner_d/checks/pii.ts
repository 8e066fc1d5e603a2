import { entities } from "../entities.ts";
import type { Host } from "../evaluate.ts";

export default (host: Host) => entities(host, { id: "partner_d.pii", title: "No personal data in the answer", evaluator: "pii" });
