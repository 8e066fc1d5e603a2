import { type Static, Type } from "@sinclair/typebox";
import type { Call, Json } from "#contract";
import { objects } from "../content/wire.ts";
import { readQuery } from "./query.ts";

/* The same models in Anthropic's form, for clients that say `anthropic-version`: its official one lists them at the same path. */

export const isAnthropicClient = ({ headers }: Pick<Call, "headers">): boolean => headers.get("anthropic-version") !== null;

const Page = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    after_id: Type.Optional(Type.String()),
    before_id: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);
type Page = Static<typeof Page>;

/** A model of OpenAI's form; what its provider says beyond that stays. */
export function anthropicModel({ object: _object, created, owned_by: _owner, ...more }: Json): Json {
  const id = String(more["id"]);
  return {
    ...more,
    type: "model",
    display_name: more["display_name"] ?? more["displayName"] ?? id,
    created_at: more["created_at"] ?? new Date(Number(created ?? 0) * 1000).toISOString().replace(".000Z", "Z"),
  };
}

/** A provider's list of OpenAI's form: the page that its provider made, or the one of all its models that is asked for. */
export function anthropicModels(list: Json, search: string): Json {
  const models = objects(list["data"]).map(anthropicModel);
  const { has_more, first_id, last_id } = list;
  if (typeof first_id !== "string") return pageOf(models, readQuery(Page, search));
  return { data: models, has_more: has_more === true, first_id, last_id };
}

/** A page of the catalogue. */
export async function anthropicPage(search: string, catalogueOf: (search: string) => Promise<Json>): Promise<Json> {
  const asked = readQuery(Page, search);
  const filters = new URLSearchParams(search);
  for (const name of Object.keys(Page.properties)) filters.delete(name);
  const { data } = await catalogueOf(`?${filters}`);
  return pageOf(objects(data).map(anthropicModel), asked);
}

/** Behind `after_id`, or the last ones before `before_id`; all of them where nothing says how many. */
function pageOf(models: readonly Json[], { limit = models.length, after_id, before_id }: Page): Json {
  const placeOf = (id: string): number => models.findIndex((model) => model["id"] === id);
  const end = before_id === undefined ? models.length : Math.max(0, placeOf(before_id));
  const last = after_id === undefined ? -1 : placeOf(after_id);
  const begin = after_id !== undefined && last < 0 ? end : last + 1; // behind what is not there is nothing
  const rest = models.slice(begin, end);
  const data = before_id === undefined ? rest.slice(0, limit) : rest.slice(Math.max(0, rest.length - limit));
  return { data, has_more: data.length < rest.length, first_id: data[0]?.["id"] ?? null, last_id: data.at(-1)?.["id"] ?? null };
}
