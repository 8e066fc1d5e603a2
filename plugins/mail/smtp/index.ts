import { definePlugin } from "#contract";
import { Config } from "./config.ts";
import { handOver } from "./hand-over.ts";
import { problems } from "./problems.ts";

/** Hands mail to the mail server of the deployment. */
export default definePlugin({
  kind: "mail",
  config: Config,
  needs: [],
  problems,
  setup: (_, config) => ({ provides: { send: (mail, signal) => handOver(mail, signal, config) } }),
});
