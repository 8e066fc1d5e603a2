import { type Static, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;
const Vault = {
  azure_vault_url: Type.String({
    format: "uri",
    maxLength: 2048,
    bound: true,
    description: "Address of the vault: `https://<name>.vault.azure.net`.",
  }),
};
/** A part of a URL. */
const Id = (description: string) => Type.String({ pattern: "^[A-Za-z0-9.-]+$", maxLength: 256, bound: true, description });

const Entra = Type.Object(
  {
    azure_auth_mode: Type.Literal("entra"),
    azure_entra_tenant_id: Id("Tenant."),
    azure_entra_client_id: Id("Client id of the application."),
    azure_entra_client_secret: Type.String({ minLength: 1, maxLength: 4096, secret: true, description: "Its secret." }),
    ...Vault,
  },
  closed,
);
const Managed = Type.Object(
  { azure_auth_mode: Type.Literal("managed"), azure_managed_client_id: Type.Optional(Id("Which identity.")), ...Vault },
  closed,
);
const Default = Type.Object({ azure_auth_mode: Type.Literal("default"), ...Vault }, closed);

/** Ways to sign in. */
export const AUTH = [Entra, Managed, Default] as const;
export type AzureAuth = Static<(typeof AUTH)[number]>;
