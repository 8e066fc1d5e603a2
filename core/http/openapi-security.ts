import type { Json, Plane } from "#contract";

const header = (description: string): Json => ({ type: "apiKey", in: "header", name: "x-gateway-api-key", description });

/** How a key is given. One header for both kinds, as two schemes: a reader fills each in once. */
export const SECURITY_SCHEMES = {
  gatewayKey: header("A gateway key; the bearer token is then the provider's own credential."),
  adminKey: header("The admin key, or any key that holds the scope."),
  bearer: { type: "http", scheme: "bearer", description: "Any key of this gateway as a bearer token." },
} as const;

const oneOf = (...names: readonly (keyof typeof SECURITY_SCHEMES)[]): readonly Json[] => names.map((name) => ({ [name]: [] }));

/** What opens an operation of a plane: any one of these. */
export const SECURITY: Readonly<Record<Plane, readonly Json[]>> = {
  data: oneOf("gatewayKey", "bearer"),
  control: oneOf("adminKey", "bearer"),
  admin: oneOf("adminKey", "bearer"),
};
