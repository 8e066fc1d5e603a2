import { isJson, type Json, type OwnedIds } from "#contract";
import { object, objects, text } from "../content/wire.ts";

const id = (value: unknown): readonly string[] => (text(value) === undefined ? [] : [String(value)]);
const strings = (value: unknown): readonly string[] => (Array.isArray(value) ? value.flatMap(id) : []);

/** Files stand in messages and in what tools gave back; a screenshot is a single part. */
const filesOf = ({ content, output }: Json): readonly string[] =>
  [...objects(content), ...(isJson(output) ? [output] : objects(output))].flatMap((part) => id(part.file_id));
const filesOfTool = ({ vector_store_ids, container }: Json): readonly string[] => [
  ...strings(vector_store_ids),
  ...id(container),
  ...strings(object(container).file_ids),
];

/** The answer's own id; and whatever of the provider's a request builds upon. */
export const owned: OwnedIds = {
  made: (answer) => id(answer.id),
  named: ({ previous_response_id, conversation, input, tools }) => [
    ...id(previous_response_id),
    ...id(isJson(conversation) ? conversation.id : conversation),
    ...objects(input).flatMap(filesOf),
    ...objects(tools).flatMap(filesOfTool),
  ],
};
