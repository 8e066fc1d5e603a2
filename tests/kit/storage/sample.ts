import { type Static, Type } from "@sinclair/typebox";
import { defineCollection, JsonObject, Nullable, OneOf, Stamps, Timestamp, Workspaces } from "#contract";

/** A collection with a member of every kind, unknown to the embedded migrations: its table is made at run time. */
export const Things = defineCollection({
  name: "kit_things",
  schema: Type.Object({
    ...Stamps,
    group: Type.String({ description: "Keeps one test's records apart." }),
    slug: Type.String({ description: "Unique in its group." }),
    state: OneOf(["new", "done"], { description: "A word." }),
    note: Nullable(Type.String({ description: "May be null." })),
    tag: Type.Optional(Type.String({ description: "May be absent." })),
    small: Type.Integer({ minimum: -100, maximum: 100, description: "Fits 32 bits." }),
    due_at: Nullable(Timestamp("Needs more than 32 bits.")),
    amount: Type.Number({ description: "A fraction." }),
    active: Type.Boolean({ description: "A flag." }),
    body: JsonObject("An object."),
    list: Type.Array(Type.Unknown(), { description: "An array." }),
    extra: Nullable(JsonObject("An object or null.")),
  }),
  unique: [["group", "slug"]],
  index: [["group", "state"]],
});
export type Thing = Static<typeof Things.schema>;

/** What the suite migrates to: one collection of the embedded migrations, one of a plugin. */
export const KIT_COLLECTIONS = [Workspaces, Things];

export const thing = (group: string, given: Partial<Thing> = {}): Thing => {
  const id = crypto.randomUUID();
  return {
    id,
    created_at: 1_763_676_000_000,
    last_updated_at: 1_763_676_000_000,
    group,
    slug: id,
    state: "new",
    note: null,
    small: 0,
    due_at: null,
    amount: 0.5,
    active: false,
    body: {},
    list: [],
    extra: null,
    ...given,
  };
};
