import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import codenames from "./checks/codenames.ts";
import risk from "./checks/risk.ts";

/** Acme's checks. `net:*`, because customers may run the scanner at an address of their own. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object(
    { url: Type.String({ format: "uri", default: "https://api.acme.example/v1", description: "Base URL of the scanner." }) },
    { additionalProperties: false },
  ),
  needs: ["net:*", "secret:ACME_API_KEY"],
  setup: (host, { url = "https://api.acme.example/v1" }) => ({ provides: { checks: [codenames, risk(host, url)] } }),
});
