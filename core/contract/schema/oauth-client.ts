import { type Static, Type } from "@sinclair/typebox";

const text = (description: string, rest: object = {}) => Type.String({ minLength: 1, maxLength: 4096, ...rest, description });

/** What `auth_type` says of an integration whose provider takes tokens of an OAuth client. */
export const OAUTH_CLIENT = "oauthClientCredentials";
/** Members of an integration's configurations, whichever its provider: the gateway fetches the provider's key with them (RFC 6749, 4.4). */
export const OAuthClient = Type.Object(
  {
    auth_type: Type.Optional(Type.Literal(OAUTH_CLIENT, { description: "It is what the other members say, and may be left out." })),
    oauth_token_endpoint: Type.String({
      format: "uri",
      pattern: "^https?://",
      maxLength: 2048,
      bound: true,
      description: "Where tokens are fetched.",
    }),
    oauth_client_id: text("Id of the client.", { bound: true }),
    oauth_client_secret: text("Its secret.", { secret: true }),
    oauth_scope: Type.Optional(text("Scope of its tokens, where the endpoint asks for one.", { pattern: "^[ -~]+$" })),
  },
  { additionalProperties: false },
);
export type OAuthClient = Static<typeof OAuthClient>;
/** Their names. */
export const OAUTH_MEMBERS: ReadonlySet<string> = new Set(Object.keys(OAuthClient.properties));
