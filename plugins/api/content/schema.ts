import { Type } from "@sinclair/typebox";

/* What the schemas of several operations say alike. */

/** Unknown members travel on. */
export const open = { additionalProperties: true } as const;

const MODEL = "Model id, or `@slug/model`.";
export const Model = Type.String({ maxLength: 512, description: MODEL });
/** Where the provider cannot do without one. */
export const ModelOrSet = Type.String({
  maxLength: 512,
  description: `${MODEL} May be left out when a config's override_params sets it.`,
});
/** A form passes unread: what its model says chooses no provider. */
export const ModelInForm = Type.String({ description: "Model id. The provider is chosen by a header or a config." });

export const formFile = (description: string) => Type.Unsafe<Blob>({ type: "string", format: "binary", description });
