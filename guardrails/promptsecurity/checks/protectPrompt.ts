import { type Host, protect } from "../protect.ts";

export default (host: Host) =>
  protect(host, { id: "promptsecurity.protectPrompt", title: "Protect the prompt", side: "input", member: "prompt" });
