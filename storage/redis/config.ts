import { type Static, Type } from "@sinclair/typebox";

export const Config = Type.Object(
  {
    url: Type.String({ pattern: "^rediss?://", secret: true, description: "`redis://user:password@host:6379/0`, or `rediss://` for TLS." }),
    commandTimeoutMs: Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: 200,
      description:
        "How long a request waits for one counter or key. 50 is enough on a quiet machine; on two busy cores a burst of 200 requests took longer and was refused for nothing.",
    }),
    connectTimeoutMs: Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: 1000,
      description: "How long a connection may take to open, or stay silent, before it is given up and made anew.",
    }),
    keyPrefix: Type.String({
      maxLength: 128,
      default: "gateway:",
      description: "What every key begins with; two deployments on one server need different ones.",
    }),
  },
  { additionalProperties: false },
);
export type Config = Static<typeof Config>;
