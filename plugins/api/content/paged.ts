import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#contract";

const open = { additionalProperties: true } as const;

export const limitOf = (default_ = 20) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: default_, description: "Page size." }));
export const after = Type.Optional(Type.String({ description: "Id after which the page begins." }));

/** The query of a list that OpenAI's newer APIs page: `limit order after before`, and what one list has more. */
export const pagedQuery = (more: TProperties = {}) =>
  Type.Object(
    {
      limit: limitOf(),
      order: Type.Optional(OneOf(["asc", "desc"], { default: "desc", description: "By time of creation." })),
      after,
      before: Type.Optional(Type.String({ description: "Id before which the page ends." })),
      ...more,
    },
    open,
  );

/** One page of such a list. */
export const pageOf = (item: TSchema, $id: string) =>
  Type.Object(
    {
      object: Type.String(),
      data: Type.Array(item),
      first_id: Nullable(Type.String()),
      last_id: Nullable(Type.String()),
      has_more: Type.Boolean(),
    },
    { ...open, $id },
  );

/** What the deletion of a thing of this kind is answered with. */
export const deletedOf = (object: string) =>
  Type.Object({ id: Type.String(), object: Type.Literal(object), deleted: Type.Boolean() }, open);

export const Metadata = Type.Optional(
  Nullable(Type.Record(Type.String(), Type.Unknown(), { description: "Up to 16 pairs of the client's own." })),
);
export const seconds = (description: string) => Nullable(Type.Integer({ description: `${description} (Unix seconds)` }));
