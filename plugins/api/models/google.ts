import { Type } from "@sinclair/typebox";
import type { Json, PageForm } from "#contract";
import { objects } from "../content/wire.ts";
import { readQuery } from "./query.ts";

/* The same models in Google's form, which its own client reads below `/v1beta`. */

export const GoogleModel = Type.Object(
  {
    name: Type.String({ description: "`models/` and what to send as the model." }),
    displayName: Type.String(),
  },
  { additionalProperties: true, $id: "GoogleModel" },
);
export const GoogleModelList = Type.Object(
  {
    models: Type.Array(GoogleModel),
    nextPageToken: Type.Optional(Type.String({ description: "What to send as `pageToken` for the next page." })),
  },
  { additionalProperties: true, $id: "GoogleModelList" },
);
export const GoogleModelsQuery = Type.Object(
  {
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: "Page size." })),
    pageToken: Type.Optional(Type.String({ pattern: "^\\d{1,9}$", description: "`nextPageToken` of the page before." })),
  },
  { additionalProperties: true },
);

/** A model of OpenAI's form; what its provider says beyond that stays. */
export function googleModel({ id, object: _object, created: _created, owned_by: _owner, ...more }: Json): Json {
  return { ...more, name: `models/${String(id)}`, displayName: typeof more.displayName === "string" ? more.displayName : String(id) };
}

/** A list of OpenAI's form. */
export const googleModels = ({ data }: Json): Json => ({ models: objects(data).map(googleModel) });

/** The name that was sent as the model stands behind its collection's. */
export const GOOGLE_PAGE: PageForm = { member: "models", idOf: ({ name }) => String(name).replace(/^models\//, "") };

/** A page of the catalogue, by Google's names for its size and where it begins. */
export async function googlePage(search: string, catalogueOf: (search: string) => Promise<Json>): Promise<Json> {
  const { pageSize = DEFAULT_SIZE, pageToken = "0" } = readQuery(GoogleModelsQuery, search);
  const offset = Number(pageToken);
  const page = await catalogueOf(`?limit=${pageSize}&offset=${offset}`);
  const next = offset + pageSize;
  return { ...googleModels(page), ...(next < Number(page.total_count) && { nextPageToken: String(next) }) };
}
const DEFAULT_SIZE = 50;
