import { Type } from "@sinclair/typebox";
import { endpointOr, type Handles, vendorParams } from "#contract";
import type { Account } from "./credentials.ts";

export type Host = Pick<Handles, "fetch">;

export const Params = Type.Object({
  apiVersion: Type.String({ default: "2024-09-01", pattern: "^[\\w.-]+$", maxLength: 64, description: "Version of the vendor's API." }),
  ...vendorParams(),
});

/** An address of the resource's. */
export const addressOf = ({ resourceName, customHost }: Account, operation: string, apiVersion: string): string =>
  `${endpointOr(customHost, `https://${resourceName}.cognitiveservices.azure.com`)}/contentsafety/${operation}?api-version=${apiVersion}`;

export const keyOf = ({ apiKey }: Account): Record<string, string> => ({ "ocp-apim-subscription-key": apiKey });
