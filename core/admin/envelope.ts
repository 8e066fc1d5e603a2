import { type TSchema, Type } from "@sinclair/typebox";

const total = Type.Integer({ minimum: 0, description: "How many there are on all pages." });
const array = (item: TSchema) => Type.Array(item, { description: "This page." });

/** How lists are wrapped; resources of different ages differ. */
export const ENVELOPES = {
  list: {
    schema: (item: TSchema) => Type.Object({ object: Type.Literal("list"), total, data: array(item) }),
    wrap: (data: readonly unknown[], count: number) => ({ object: "list", total: count, data }),
  },
  data: {
    schema: (item: TSchema) => Type.Object({ data: array(item), total }),
    wrap: (data: readonly unknown[], count: number) => ({ data, total: count }),
  },
  success: {
    schema: (item: TSchema) => Type.Object({ success: Type.Boolean(), data: array(item) }),
    wrap: (data: readonly unknown[]) => ({ success: true, data }),
  },
} as const;
