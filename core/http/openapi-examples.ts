import { isJson, type Json } from "#contract";
import { exampleOf, type Find } from "./openapi-example.ts";

/** The same document; where a body or an answer has no example of its own, one is made of its schema. */
export function withExamples(document: Json): Json {
  const find: Find = (ref) =>
    asJson(
      ref
        .slice(2)
        .split("/")
        .reduce<unknown>((at, name) => asJson(at)[name], document),
    );
  return { ...document, paths: mapped(asJson(document["paths"]), (methods) => mapped(methods, (operation) => shown(operation, find))) };
}

function shown(operation: Json, find: Find): Json {
  const { requestBody, responses } = operation;
  return {
    ...operation,
    ...(isJson(requestBody) && { requestBody: withContent(requestBody, find, "body") }),
    responses: mapped(asJson(responses), (answer) => withContent(answer, find, "answer")),
  };
}
type Of = "body" | "answer";
function withContent({ content, ...rest }: Json, find: Find, of: Of): Json {
  if (!isJson(content)) return rest;
  return {
    ...rest,
    content: Object.fromEntries(Object.entries(content).map(([type, media]) => [type, withExample(type, asJson(media), find, of)])),
  };
}

/** Events have a form of each dialect's own, which its schema does not tell. */
const EVENTS = "text/event-stream";
function withExample(type: string, media: Json, find: Find, of: Of): Json {
  if (type === EVENTS || "example" in media || "examples" in media) return media;
  const example = exampleOf(asJson(media["schema"]), find, of);
  return example === undefined ? media : { ...media, example };
}

const asJson = (value: unknown): Json => (isJson(value) ? value : {});
const mapped = (from: Json, make: (value: Json) => Json): Json =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, isJson(value) ? make(value) : value]));
