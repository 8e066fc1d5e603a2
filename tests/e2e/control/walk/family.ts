/** One resource of the fact sheet as data: what is asked of it, and what it answers. The cases are made of it. */
import type { TSchema } from "@sinclair/typebox";
import type { Json } from "../../endpoints/api.ts";
import type { Envelope } from "./shapes.ts";
import type { World } from "./world.ts";

export interface Family {
  /** Of the sheet. */
  readonly section: string;
  readonly noun: string;
  /** Of the list; `{workspaceId}` is the walk's own workspace. */
  readonly path: string;
  readonly param: string;
  /** Whose key walks it: one of the workspace, or the organisation's. */
  readonly by: "workspace" | "organisation";
  readonly create?: Create;
  /** A new one, where no body makes it. */
  readonly make?: (world: World, n: number) => Promise<string>;
  readonly list: List;
  readonly read: { readonly shape: TSchema; readonly absent: 403 | 404; readonly slug?: boolean };
  readonly update?: Update;
  /** Its refusal of who is unknown has no `error`, as the sheet says. */
  readonly unknownIsPlain?: true;
  /** What is deleted may stay in sight; undefined where nothing is deleted. */
  readonly remove?: "gone" | "stays";
}
export interface Create {
  /** Below the path. */
  readonly below?: string;
  /** The least that makes one; `n` tells them apart. */
  readonly body: (world: World, n: number) => Json;
  /** All other members of the sheet, with values that it allows. */
  readonly more: (world: World, n: number) => Json;
  /** Members without which there is none. */
  readonly required: readonly string[];
  /** Values that its words and bounds leave out, by member. */
  readonly beyond?: Readonly<Record<string, readonly unknown[]>>;
  readonly shape: TSchema;
  /** A member that no two may share. */
  readonly unique?: string;
  /** Texts whose bound is not for any text: ids of other things. */
  readonly named?: readonly string[];
}
export interface List {
  readonly envelope: Envelope;
  readonly item: TSchema;
  /** Query, and whether the record that was made last is in its answer. */
  readonly filters: (made: Json, world: World) => readonly (readonly [query: string, isThere: boolean])[];
  /** Queries that its words and bounds leave out, by parameter. */
  readonly beyond?: Readonly<Record<string, readonly string[]>>;
  readonly pages: Pages;
}
export interface Pages {
  readonly size: string;
  readonly page: string;
  /** Sizes that are taken, and those that are not. */
  readonly least: number;
  readonly most: number;
}
export interface Update {
  /** Each alone, and what is then shown, where that is not the same. */
  readonly changes: (world: World) => readonly (readonly [sent: Json, shown?: Json])[];
  readonly beyond?: Readonly<Record<string, readonly unknown[]>>;
  /** Members of the record that no update takes. */
  readonly fixed?: Json;
  readonly shape: TSchema;
}

const named = (size: string, page: string, least: number, most: number): Pages => ({ size, page, least, most });
/** By family of resources (sheet 0.4). Where the sheet states no bound, ours is the one of guardrails. */
export const PAGES = {
  usual: named("page_size", "current_page", 1, 1000),
  policies: named("page_size", "current_page", 0, 1000),
  people: named("pageSize", "currentPage", 1, 1000),
  references: named("page_size", "current_page", 1, 100),
} as const;

/** What the word of a record is: some are answered within `data`. */
export const inner = (answer: Json): Json => (typeof answer["data"] === "object" ? (answer["data"] as Json) : answer);

/** The rows of the sheet that a family stands for. */
export function operationsOf({ path, param, create, update, remove }: Family): readonly string[] {
  const one = `${path}/{${param}}`;
  return [
    `GET ${path}`,
    ...(create ? [`POST ${path}${create.below === undefined ? "" : "/{sub-type}"}`] : []),
    `GET ${one}`,
    ...(update ? [`PUT ${one}`] : []),
    ...(remove ? [`DELETE ${one}`] : []),
  ];
}
