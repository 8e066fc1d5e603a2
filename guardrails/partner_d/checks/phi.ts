import { entities } from "../entities.ts";
import type { Host } from "../evaluate.ts";

export default (host: Host) => entities(host, { id: "partner_d.phi", title: "No health data of persons in the answer", evaluator: "phi" });
