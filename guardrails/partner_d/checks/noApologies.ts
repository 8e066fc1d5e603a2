import type { Host } from "../evaluate.ts";
import { judged, ownCriteria } from "../judge.ts";

export default (host: Host) =>
  judged(host, { id: "partner_d.noApologies", title: "The answer apologises for nothing", by: ownCriteria("no-apologies") });
