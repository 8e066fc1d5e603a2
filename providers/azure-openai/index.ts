import { definePlugin, type Endpoint, type OutgoingRequest, type Target } from "#contract";
import { credentialOf } from "./credential.ts";
import { readError } from "./error.ts";
import { operations, passes } from "./operations.ts";
import { Settings } from "./settings.ts";
import { AzureTarget, fieldsOf } from "./target.ts";
import { tokenSource } from "./token.ts";
import { baseUrlOf, withVersion } from "./url.ts";

/** OpenAI's models in an Azure resource: its wire is the client's; addresses and credentials are Azure's own. */
export default definePlugin({
  kind: "provider",
  config: Settings,
  needs: ["net:login.microsoftonline.com", "net:login.microsoftonline.us", "net:login.partner.microsoftonline.cn"],
  setup(host, settings) {
    const tokenOf = tokenSource(host, settings);

    function endpoint(target: Target): Endpoint {
      const credential = credentialOf(target, settings);
      const beta = fieldsOf(target).openai_beta;
      return {
        baseUrl: baseUrlOf(target),
        headers: { ...(credential.kind === "headers" && credential.headers), ...(beta !== undefined && { "openai-beta": beta }) },
      };
    }

    async function sign(request: OutgoingRequest, target: Target): Promise<OutgoingRequest> {
      const credential = credentialOf(target, settings);
      if (credential.kind === "identity") request.headers.set("authorization", `Bearer ${await tokenOf(credential.identity)}`);
      return { ...request, url: withVersion(request.url, target) };
    }

    return {
      provides: {
        target: AzureTarget,
        endpoint,
        sign,
        dialect: ["chat", "completions", "responses"],
        operations,
        passes,
        error: readError,
      },
    };
  },
});
