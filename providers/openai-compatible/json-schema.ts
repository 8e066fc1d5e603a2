import { isJson, type Json } from "#contract";

/** For models that refuse `json_schema`: `json_object`, and a system message that says the schema. */
export function schemaInPrompt(models: string | false): (body: Json) => Json {
  const takesSchemas = models === false ? null : new RegExp(models);
  return (body) => {
    const { response_format: format, model, messages } = body;
    if (!isJson(format) || format["type"] !== "json_schema" || !Array.isArray(messages)) return body;
    if (takesSchemas?.test(String(model))) return body;
    return { ...body, response_format: { type: "json_object" }, messages: withSchema(messages, format["json_schema"]) };
  };
}

/** Behind the system messages there are: they are told first, and the conversation stays in one piece. */
function withSchema(messages: readonly unknown[], wanted: unknown): readonly unknown[] {
  const firstOther = messages.findIndex((message) => !isJson(message) || message["role"] !== "system");
  const at = firstOther < 0 ? messages.length : firstOther;
  return [...messages.slice(0, at), { role: "system", content: sentence(isJson(wanted) ? wanted : {}) }, ...messages.slice(at)];
}

function sentence({ name, description, schema }: Json): string {
  const called = typeof name === "string" ? ` named ${name}` : "";
  const meant = typeof description === "string" ? ` (${description})` : "";
  return `Answer with one JSON object${called}${meant} and nothing else. It has to be valid against this JSON Schema:\n${JSON.stringify(schema ?? {})}`;
}
