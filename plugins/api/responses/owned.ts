import { isJson, type Json, type OwnedIds } from "#contract";
import { idInAddress } from "../content/kept-names.ts";
import { object, objects, text } from "../content/wire.ts";

const id = (value: unknown): readonly string[] => (text(value) === undefined ? [] : [String(value)]);
const strings = (value: unknown): readonly string[] => (Array.isArray(value) ? value.flatMap(id) : []);

/** Files stand in messages and in what tools gave back (a screenshot is a single part); a call may name where it ran. */
const idsOfItem = ({ content, output, container_id }: Json): readonly string[] => [
  ...[...objects(content), ...(isJson(output) ? [output] : objects(output))].flatMap(idsOfPart),
  ...id(container_id),
];
const idsOfPart = ({ file_id, file_url, image_url }: Json): readonly string[] => [
  ...id(file_id),
  ...[file_url, image_url].flatMap((address) => (typeof address === "string" ? (idInAddress(address) ?? []) : [])),
];
const idsOfTool = ({ vector_store_ids, container, input_image_mask: mask, environment }: Json): readonly string[] => [
  ...strings(vector_store_ids),
  ...id(container),
  ...strings(object(container).file_ids),
  ...id(object(mask).file_id),
  ...id(object(environment).container_id),
  ...strings(object(environment).file_ids),
];
/** A prompt that the provider keeps, and the files that fill it in. */
const idsOfPrompt = (prompt: Json): readonly string[] => [
  ...id(prompt.id),
  ...Object.values(object(prompt.variables)).flatMap((value) => id(object(value).file_id)),
];

/** A reference to an item that the provider keeps; its type may be left out then. */
const isReference = ({ type, role }: Json): boolean =>
  type === "item_reference" || ((type === undefined || type === null) && role === undefined);
const itemsIn = ({ output, response, item, data }: Json): readonly Json[] => [
  ...objects(data),
  ...objects(output),
  ...objects(object(response).output),
  ...(isJson(item) ? [item] : []),
];

const idUnderWay = ({ id: own, status, usage }: Json): readonly string[] =>
  status === "queued" || (status === "in_progress" && !isJson(usage)) ? id(own) : [];

/** The answer's own id; and whatever of the provider's a request builds upon. */
export const owned: OwnedIds = {
  temporary: true,
  made: (answer) => [...id(answer.id), ...id(object(answer.response).id)], // an event of a stream holds the answer
  begins: { by: ({ background }) => background === true, ids: (answer) => [answer, object(answer.response)].flatMap(idUnderWay) },
  parts: {
    of: (answer) => itemsIn(answer).flatMap((item) => id(item.id)),
    events: ["response.output_item.added", "response.output_item.done"],
  },
  named: ({ previous_response_id, conversation, prompt, input, tools }) => [
    ...id(previous_response_id),
    ...id(isJson(conversation) ? conversation.id : conversation),
    ...idsOfPrompt(object(prompt)),
    ...objects(input).flatMap(idsOfItem),
    ...objects(input).flatMap((item) => (isReference(item) ? id(item.id) : [])),
    ...objects(tools).flatMap(idsOfTool),
  ],
};
