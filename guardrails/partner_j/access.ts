import { CheckFault, endpointOr } from "#contract";
import type { Account } from "./credentials.ts";
import { type Host, tokens } from "./token.ts";

/** Makes the function that gives the headers by which a check proves who asks: the resource's key, or an application's token. */
export function accessBy(host: Host): (account: Account) => Promise<Record<string, string>> {
  const tokenOf = tokens(host);
  return async ({ apiKey, azureAuthMode, tenantId, clientId, clientSecret }) => {
    if (azureAuthMode !== "entra") return apiKey === undefined ? missing("apiKey") : { "ocp-apim-subscription-key": apiKey };
    if (tenantId === undefined || clientId === undefined || clientSecret === undefined)
      return missing("tenantId, clientId and clientSecret");
    return { authorization: `Bearer ${await tokenOf({ tenantId, clientId, clientSecret })}` };
  };
}
const missing = (members: string): never => {
  throw new CheckFault("auth", `partner_j: the credentials lack ${members}`);
};

/** An address of the resource's. */
export const addressOf = ({ resourceName, customHost }: Account, path: string, apiVersion: string): string =>
  `${endpointOr(customHost, `https://${resourceName}.cognitiveservices.azure.com`)}${path}?api-version=${encodeURIComponent(apiVersion)}`;
