import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { checks } from "./checks/index.ts";
import { Credentials } from "./credentials.ts";

/** The guardrails of a cloud account; each request is signed. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["net:*.aliyuncs.com", "credentials", "secret:ALIBABA_CLOUD_ACCESS_KEY_ID", "secret:ALIBABA_CLOUD_ACCESS_KEY_SECRET"],
  setup: (host) => ({ provides: { credentials: Credentials, checks: checks.map((check) => check(host)) } }),
});
