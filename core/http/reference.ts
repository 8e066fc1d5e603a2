import { isJson, type Json } from "#contract";

/** The reference page: the OpenAPI document as one HTML page that loads nothing from anywhere. */
export function referencePage(document: Json): string {
  const operations = operationsIn(document);
  const tags = [...new Set(operations.map(({ tag }) => tag))].sort();
  const title = text(object(document["info"])["title"]);
  return page(title, [
    `<nav><h1>${title}</h1><p><a href="/openapi.json">openapi.json</a></p>${tags.map((tag) => index(tag, operations)).join("")}</nav>`,
    `<main>${tags
      .map(
        (tag) =>
          `<h2>${text(tag)}</h2>${operations
            .filter((one) => one.tag === tag)
            .map((one) => section(one, document))
            .join("")}`,
      )
      .join("")}</main>`,
  ]);
}

interface Shown {
  readonly tag: string;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly is: Json;
}
const object = (value: unknown): Json => (isJson(value) ? value : {});
const array = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const text = (value: unknown): string =>
  String(value ?? "")
    .replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)
    .replace(/`([^`]+)`/g, "<code>$1</code>");

const operationsIn = (document: Json): Shown[] =>
  Object.entries(object(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, is]) => {
      const shown = object(is);
      return { path, method: method.toUpperCase(), is: shown, id: String(shown["operationId"]), tag: String(array(shown["tags"])[0]) };
    }),
  );

const index = (tag: string, operations: readonly Shown[]): string =>
  `<h3>${text(tag)}</h3><ul>${operations
    .filter((one) => one.tag === tag)
    .map(({ id, is }) => `<li><a href="#${text(id)}">${text(is["summary"])}</a></li>`)
    .join("")}</ul>`;

function section({ id, method, path, is }: Shown, document: Json): string {
  const parameters = array(is["parameters"]).map((one) => resolve(object(one), document));
  const own = parameters.filter((one) => one["in"] !== "header");
  const headers = parameters.filter((one) => one["in"] === "header");
  const scopes = array(is["x-scopes"])
    .map((scope) => `<code>${text(scope)}</code>`)
    .join(" or ");
  return `<section id="${text(id)}"><h3>${text(is["summary"])}</h3><p><b class="${method}">${method}</b> <code>${text(path)}</code></p>
${is["description"] === undefined ? "" : `<p>${text(is["description"])}</p>`}<p>${scopes === "" ? "No key needed." : `Scope: ${scopes}`}</p>
${table("Parameters", own.map(parameterRow))}${headers.length > 0 ? fold("Request headers", table("", headers.map(parameterRow))) : ""}
${bodies("Body", object(is["requestBody"])["content"], document)}${answers(object(is["responses"]), document)}</section>`;
}

const parameterRow = (one: Json): Row => ({
  name: String(one["name"]),
  type: typeOf(object(one["schema"])),
  required: one["required"] === true,
  description: one["description"],
});

function answers(responses: Json, document: Json): string {
  const errors = Object.keys(responses).filter((status) => status !== "200");
  return `${bodies("Answer", object(responses["200"])["content"], document)}${errors.length > 0 ? `<p>Errors: ${errors.join(", ")}</p>` : ""}`;
}

const bodies = (title: string, content: unknown, document: Json): string =>
  Object.entries(object(content))
    .map(([type, media]) => fold(`${title} (${type})`, members(object(object(media)["schema"]), document, 0)))
    .join("");

const MAX_DEPTH = 6;
/** The members of an object schema; what lies deeper folds out. */
function members(given: Json, document: Json, depth: number): string {
  const schema = resolve(given, document);
  const required = array(schema["required"]);
  const rows = Object.entries(object(schema["properties"])).map(([name, member]) => {
    const inner = depth < MAX_DEPTH ? nested(object(member), document, depth) : "";
    return {
      name,
      type: typeOf(object(member)),
      required: required.includes(name),
      description: resolve(object(member), document)["description"],
      inner,
    };
  });
  return rows.length > 0 ? table("", rows) : `<p>${text(typeOf(schema))} ${text(schema["description"])}</p>`;
}

function nested(member: Json, document: Json, depth: number): string {
  const schema = resolve(member, document);
  const inside = resolve(object(schema["items"] ?? array(schema["anyOf"]).find((one) => "properties" in object(one)) ?? schema), document);
  // A schema that refers to itself is named, not unfolded again.
  if (!("properties" in inside) || (depth > 0 && "$ref" in member) || "$ref" in object(schema["items"])) return "";
  return fold("members", members(inside, document, depth + 1));
}

function resolve(schema: Json, document: Json): Json {
  if (typeof schema["$ref"] !== "string") return schema;
  return schema["$ref"]
    .slice(2)
    .split("/")
    .reduce<Json>((found, part) => object(found[part]), document);
}

function typeOf(schema: Json): string {
  if (typeof schema["$ref"] === "string") return schema["$ref"].split("/").at(-1) ?? "";
  if (Array.isArray(schema["enum"])) return schema["enum"].join(" | ");
  if (Array.isArray(schema["anyOf"])) return schema["anyOf"].map((one) => typeOf(object(one))).join(" | ");
  if (schema["type"] === "array") return `array of ${typeOf(object(schema["items"]))}`;
  const named = "const" in schema ? schema["const"] : (schema["type"] ?? "any");
  return `${String(named)}${"default" in schema ? ` = ${JSON.stringify(schema["default"])}` : ""}`;
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: unknown;
  readonly inner?: string;
}
const row = ({ name, type, required, description, inner = "" }: Row): string =>
  `<tr><td><code>${text(name)}</code>${required ? " *" : ""}</td><td>${text(type)}</td><td>${text(description)}${inner}</td></tr>`;
const table = (title: string, rows: readonly Row[]): string =>
  rows.length === 0 ? "" : `${title === "" ? "" : `<h4>${title}</h4>`}<table>${rows.map(row).join("")}</table>`;
const fold = (title: string, inner: string): string => `<details><summary>${text(title)}</summary>${inner}</details>`;

const STYLE = `body{margin:0;display:flex;font:15px/1.5 system-ui,sans-serif;color:#1c2128}nav{width:17em;height:100vh;overflow:auto;position:sticky;top:0;padding:1em;background:#f4f5f7;box-sizing:border-box}
nav h1{font-size:1.2em}nav h3{margin:1em 0 .2em;font-size:.9em}nav ul{margin:0;padding-left:1em}main{flex:1;padding:1em 2em;max-width:60em;min-width:0}section{border-top:1px solid #d8dce2;padding:1em 0}
table{border-collapse:collapse;width:100%}td{border-bottom:1px solid #e6e8ec;padding:.3em .6em;vertical-align:top;overflow-wrap:anywhere}code{font-size:.92em}details{margin:.4em 0}summary{cursor:pointer}
@media(prefers-color-scheme:dark){body{background:#14171c;color:#dfe3ea}nav{background:#1b1f26}td,section{border-color:#2c323c}a{color:#7fb1ff}}@media(max-width:50em){nav{display:none}}`;

const page = (title: string, parts: readonly string[]): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head><body>${parts.join("")}</body></html>`;
