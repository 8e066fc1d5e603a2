import { type Static, Type } from "@sinclair/typebox";
import { OneOf } from "#contract";
import { ForwardHeaders } from "#contract";
import { HeadersToSend } from "../headers-parameter.ts";
import { MatchTypeOf } from "../match-type.ts";

/** Signatures by key pairs alone: a public key that also counted as a shared secret would let everybody sign. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const;
const FORM = "application/x-www-form-urlencoded";

const Claims = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 50, description }));
const Value = Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean()]);
const ClaimValue = Type.Object({
  values: Type.Union([Value, Type.Array(Value, { minItems: 1, maxItems: 100 })], { description: "The values to look for." }),
  matchType: Type.Optional(MatchTypeOf("the claim")),
});

export const JwtParams = Type.Object({
  jwksUri: Type.Optional(
    Type.String({
      maxLength: 10_000,
      description: "Where the keys are, as a JWKS document; several with commas, whose keys are taken together.",
    }),
  ),
  jwks: Type.Optional(
    Type.Object(
      { keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 100, description: "The keys, each as a JWK." }) },
      { description: "A JWKS document with public keys, in place." },
    ),
  ),
  headerKey: Type.String({
    default: "Authorization",
    minLength: 1,
    maxLength: 100,
    pattern: "^[A-Za-z0-9-]+$",
    description:
      "The request header with the token, alone or behind `Bearer`. Where `Authorization` holds the gateway's key, name another one.",
  }),
  cacheMaxAge: Type.Number({ default: 86_400, minimum: 0, description: "Seconds for which fetched keys are kept." }),
  clockTolerance: Type.Number({ default: 5, minimum: 0, maximum: 3_600, description: "Seconds by which clocks may differ." }),
  maxTokenAge: Type.String({
    default: "1d",
    maxLength: 40,
    description: "How long after it was issued a token is taken, such as `12h` or `1d`.",
  }),
  algorithms: Type.Array(OneOf(ALGORITHMS, { description: "Algorithm." }), {
    default: ["RS256"],
    minItems: 1,
    maxItems: ALGORITHMS.length,
    description: "Algorithms that a token may be signed with. There is none for unsigned tokens, and none with a shared secret.",
  }),
  introspectEndpoint: Type.Optional(
    Type.String({
      pattern: "^https?://",
      maxLength: 2_048,
      description: "Asked whether the token is active (RFC 7662), beside the keys or in their place.",
    }),
  ),
  introspectContentType: OneOf([FORM, "application/json"], { default: FORM, description: "How the token is sent there." }),
  introspectCacheMaxAge: Type.Number({ default: 60, minimum: 0, description: "Seconds for which its answer is kept; never beyond `exp`." }),
  introspectHeaders: HeadersToSend,
  requiredClaims: Claims("Claims that the token must have."),
  claimValues: Type.Optional(
    Type.Record(Type.String({ maxLength: 200 }), ClaimValue, { maxProperties: 50, description: "Claims, and what they must be." }),
  ),
  headerPayloadMatch: Claims("Members that the token must say alike in its header and its payload."),
  extractClaims: Claims("Claims that become request headers, for the checks behind this one and for `forward_headers` of a config."),
  claimPrefix: Type.String({
    default: "x-jwt-",
    maxLength: 60,
    pattern: "^[xX]-[A-Za-z0-9-]*$",
    description: "What the names of these headers begin with. A client's own headers of these names are taken away.",
  }),
  forwardHeaders: ForwardHeaders,
});
export type Jwt = Static<typeof JwtParams>;
