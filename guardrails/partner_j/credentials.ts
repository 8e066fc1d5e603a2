import { type Static, Type } from "@sinclair/typebox";
import { OneOf, VendorEndpoint } from "#contract";

const Text = (description: string, more: object = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 4096, description, ...more }));

/** An account with the vendor: a resource, and the key of it or an application that may use it. */
export const Credentials = Type.Object(
  {
    resourceName: Type.String({
      pattern: "^[A-Za-z0-9-]{1,64}$",
      description: "Name of the resource, the first part of its host.",
      bound: true,
      env: "PARTNER_J_RESOURCE_NAME",
    }),
    apiKey: Text("Key of the resource.", { secret: true, env: "PARTNER_J_API_KEY" }),
    azureAuthMode: Type.Optional(OneOf(["apiKey", "entra"], { description: "Who asks; default: the key." })),
    tenantId: Text("Tenant of the application.", { pattern: "^[\\w.-]+$", bound: true }),
    clientId: Text("Client id of the application.", { bound: true }),
    clientSecret: Text("Secret of the application.", { secret: true }),
    customHost: VendorEndpoint("Base URL, where it is not the resource's own."),
  },
  { additionalProperties: false },
);
export type Account = Static<typeof Credentials>;
