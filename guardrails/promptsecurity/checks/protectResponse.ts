import { type Host, protect } from "../protect.ts";

export default (host: Host) =>
  protect(host, { id: "promptsecurity.protectResponse", title: "Protect the answer", side: "output", member: "response" });
