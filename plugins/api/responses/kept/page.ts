import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { GatewayError, type Json, OneOf } from "#contract";

const Include = Type.Optional(Type.Unknown({ description: "What else to give; what is kept is given whole in any case." }));

export const ItemsQuery = Type.Object(
  {
    after: Type.Optional(Type.String({ description: "Id of an item: the list goes on behind it." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Items on the page." })),
    order: Type.Optional(OneOf(["asc", "desc"], { default: "desc", description: "`asc` begins with the oldest." })),
    include: Include,
  },
  { additionalProperties: true },
);
export const ResponseQuery = Type.Object(
  {
    include: Include,
    stream: Type.Optional(Type.Boolean({ description: "As events again: of a provider's own responses only." })),
    starting_after: Type.Optional(Type.Integer({ description: "Number of the event behind which they begin." })),
  },
  { additionalProperties: true },
);

/** The part of a URL behind its `?`, as its schema wants it. */
export function queryOf<S extends typeof ItemsQuery | typeof ResponseQuery>(schema: S, search: string): Static<S> {
  const query: unknown = Value.Convert(schema, Object.fromEntries(new URLSearchParams(search)));
  const fault = Value.Errors(schema, query).First();
  if (!fault) return query as Static<S>; // it has no fault
  const param = fault.path.slice(1);
  throw new GatewayError("REQUEST_INVALID", { what: `The query parameter ${param} is not valid: ${fault.message}.` }, { param });
}

/** A page of items, in the order that was asked for. */
export function pageOf(items: readonly Json[], { after, limit = 20, order = "desc" }: Static<typeof ItemsQuery>): Json {
  const ordered = order === "asc" ? items : items.toReversed();
  const data = ordered.slice(startOf(ordered, after)).slice(0, limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: data.length > 0 && data.at(-1) !== ordered.at(-1),
  };
}
function startOf(items: readonly Json[], after: string | undefined): number {
  if (after === undefined) return 0;
  const at = items.findLastIndex(({ id }) => id === after); // of two that a client called the same, the later: the list comes to its end
  if (at !== -1) return at + 1;
  throw new GatewayError(
    "REQUEST_INVALID",
    { what: `The query parameter after names no item of this list: ${after}.` },
    { param: "after" },
  );
}
