import { Type } from "@sinclair/typebox";
import { type Check, definePlugin } from "#contract";
import isAllLowerCase from "./checks/isAllLowerCase.ts";
import { checks } from "./checks/index.ts";
import modelWhitelist from "./checks/modelWhitelist.ts";

/** Other spellings that saved guardrails carry. */
const ALIASES: readonly Check[] = [
  { ...isAllLowerCase, id: "default.alllowercase" },
  { ...modelWhitelist, id: "default.modelwhitelist" },
];

/** The built-in checks. */
export default definePlugin({
  kind: "guardrail",
  config: Type.Object({}),
  needs: ["net:*"],
  setup: (host) => ({ provides: { checks: [...checks.map((check) => (typeof check === "function" ? check(host) : check)), ...ALIASES] } }),
});
