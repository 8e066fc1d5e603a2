import type { BodyContent, Json, PlacedSegment } from "#contract";
import { type Found, at } from "../content/found.ts";
import { eachObject } from "../content/ids.ts";
import { namesOf } from "../content/names.ts";
import { readParts } from "../content/parts.ts";

/** What was found, or what a file holds, is a tool's result, and all of it is one message to a check. */
const found = (content: unknown, path: string, into: Found): void => readParts(content, at(path, "tool", 0), into);

/** What a search asks for, and the pieces of files that it finds. Nothing is generated: there is nothing to count. */
export const SEARCH: BodyContent = {
  input: ({ query }: Json): readonly PlacedSegment[] => {
    const into: Found = [];
    readParts(query, at("query", "user", 0), into);
    return into;
  },
  output: ({ data }: Json): readonly PlacedSegment[] => {
    const into: Found = [];
    eachObject(data, ({ content }, index) => found(content, `data[${index}].content`, into));
    return into;
  },
  usage: () => ({ input: 0, output: 0 }),
  names: namesOf("query"),
};

/** The text of a file, in pieces. */
export const FILE_TEXT: BodyContent = {
  output: ({ data }: Json): readonly PlacedSegment[] => {
    const into: Found = [];
    found(data, "data", into);
    return into;
  },
};
