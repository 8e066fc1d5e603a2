import { type Static, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;
const text = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description });
const secret = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description, secret: true });
const AT = {
  vault_addr: Type.String({ format: "uri", maxLength: 2048, bound: true, description: "Address of the Vault." }),
  vault_namespace: Type.Optional(Type.String({ maxLength: 1024, bound: true, description: "Namespace." })),
};

const Token = Type.Object({ vault_auth_type: Type.Literal("token"), ...AT, vault_token: secret("Token.") }, closed);
const AppRole = Type.Object(
  {
    vault_auth_type: Type.Literal("approle"),
    ...AT,
    vault_role_id: Type.String({ minLength: 1, maxLength: 4096, bound: true, description: "Role id." }),
    vault_secret_id: secret("Secret id."),
  },
  closed,
);
const Kubernetes = Type.Object({ vault_auth_type: Type.Literal("kubernetes"), ...AT, vault_role: text("Role.") }, closed);

/** Ways to sign in. */
export const AUTH = [Token, AppRole, Kubernetes] as const;
export type VaultAuth = Static<(typeof AUTH)[number]>;
