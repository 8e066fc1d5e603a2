import { type TObject, Type } from "@sinclair/typebox";
import { GatewayError } from "./errors.ts";
import { idsThat } from "./ids-that.ts";
import { isJson, type Json } from "./json.ts";
import type { RuleInput } from "./resource.ts";
import type { Collection, Records } from "./storage.ts";

/** The filter of a list whose records carry tags. */
export const TagQuery = {
  tags: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'Only those with all of these tags: `tags={"team":"search"}`, or `tags[team]=search`.',
    }),
  ),
};

/** The condition of a list: records of the organisation that carry all of the tags that are asked for. */
export async function tagged(
  collection: Collection,
  { query, records, organisationId }: Pick<RuleInput<undefined, { readonly tags?: string }>, "query" | "records" | "organisationId">,
): Promise<{ id?: readonly string[] }> {
  if (query.tags === undefined) return {};
  const asked = Object.entries(tagsIn(query.tags));
  const rows = records.in(collection as Collection<TObject>) as unknown as Records<Json & { readonly id: string }>; // every record has an id
  const omit = Object.keys(collection.schema.properties).filter((name) => name !== "id" && name !== "tags");
  const fits = ({ tags }: Json): boolean =>
    isJson(tags) && asked.every(([name, value]) => Object.hasOwn(tags, name) && tags[name] === value);
  return { id: await idsThat(rows, { where: { organisation_id: organisationId }, omit }, fits, "tags") };
}

function tagsIn(text: string): Json {
  try {
    const tags: unknown = JSON.parse(text);
    if (isJson(tags) && Object.values(tags).every((value) => typeof value === "string")) return tags;
  } catch {
    // said below
  }
  const what = 'The filter tags is no object of texts: write tags={"team":"search"} or tags[team]=search.';
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "tags" });
}
