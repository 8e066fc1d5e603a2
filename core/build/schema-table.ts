import { isJson, type Json } from "#contract";

/** One member of a schema as people write it: `rules[].claim`, `headers.<name>`. */
interface Member {
  readonly name: string;
  readonly schema: Json;
  readonly isRequired: boolean;
}
/** Schemas may be recursive: deeper than this nothing is listed. */
const DEEPEST = 6;

/** Names of the members of an object schema, and of those inside them, that do not say what they are for. */
export const undescribed = (schema: unknown): readonly string[] =>
  membersOf(schema, "", 0).flatMap(({ name, schema: of }) => (typeof of["description"] === "string" ? [] : [name]));

/** Members of an object schema and of what stands inside them, one a row; `variables` names those that set one. */
export function schemaTable(schema: unknown, variables: Readonly<Record<string, string>> = {}): string {
  const rows = membersOf(schema, "", 0).map((member) => rowOf(member, variables[member.name]));
  return rows.length === 0 ? "" : [HEAD, "| :- | :- | :- | :- | :- |", ...rows].join("\n");
}
const HEAD = "| Member | Type | Default | Limits | Meaning |";

function rowOf({ name, schema, isRequired }: Member, variable: string | undefined): string {
  const fallback = schema["default"];
  const shown = fallback !== undefined ? `\`${JSON.stringify(fallback)}\`` : isRequired ? "(required)" : "";
  const meaning = [String(schema["description"] ?? ""), variable === undefined ? "" : `Variable: \`${variable}\`.`]
    .filter(Boolean)
    .join(" ");
  return `| ${[`\`${name}\``, typeOf(schema), shown, limitsOf(schema), meaning].map(cell).join(" | ")} |`;
}
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function membersOf(schema: unknown, before: string, depth: number): readonly Member[] {
  if (!isJson(schema) || depth > DEEPEST) return [];
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = isJson(schema["properties"]) ? schema["properties"] : {};
  const own = Object.entries(properties).flatMap(([name, of]): readonly Member[] => {
    if (!isJson(of)) return [];
    const path = `${before}${name}`;
    return [{ name: path, schema: of, isRequired: required.includes(name) }, ...inside(of, path, depth + 1)];
  });
  return [...own, ...ofVariants(schema, before, depth)];
}

/** What stands in a member: in the items of a list, under the names of a record, or in itself. */
function inside(schema: Json, path: string, depth: number): readonly Member[] {
  const named = isJson(schema["patternProperties"]) ? Object.values(schema["patternProperties"]) : [];
  return [
    ...membersOf(schema, `${path}.`, depth),
    ...membersOf(schema["items"], `${path}[].`, depth),
    ...named.flatMap((of) => (isJson(of) ? ofRecord(of, `${path}.<name>`, depth) : [])),
  ];
}

/** What stands under any name of a record; the record's own description may say it all. */
function ofRecord(schema: Json, path: string, depth: number): readonly Member[] {
  const own = typeof schema["description"] === "string" ? [{ name: path, schema, isRequired: false }] : [];
  return depth > DEEPEST ? own : [...own, ...inside(schema, path, depth + 1)];
}

/** A member that is one of several things has the members of all of them; one that several have is told once. */
function ofVariants(schema: Json, before: string, depth: number): readonly Member[] {
  const variants = [schema["anyOf"], schema["allOf"]].filter(Array.isArray).flat();
  const found = variants.flatMap((variant: unknown) => {
    if (!isJson(variant)) return [];
    const path = before.slice(0, -1);
    return path === "" ? membersOf(variant, before, depth + 1) : inside(variant, path, depth + 1);
  });
  return [...new Map(found.map((member) => [member.name, member])).values()];
}

function typeOf(schema: unknown): string {
  if (!isJson(schema)) return "";
  if (Array.isArray(schema["enum"])) return schema["enum"].map((word) => `\`${String(word)}\``).join(" | ");
  if (Array.isArray(schema["anyOf"])) return [...new Set(schema["anyOf"].map(typeOf))].join(" | ");
  if ("const" in schema) return `\`${String(schema["const"])}\``;
  return schema["type"] === "array" ? `array of ${typeOf(schema["items"]) || "any"}` : String(schema["type"] ?? "any");
}

/** Limits in words, of the member or, for a list, of its items. */
function limitsOf(schema: Json): string {
  const items = isJson(schema["items"]) ? limitsOf(schema["items"]) : "";
  const variants = Array.isArray(schema["anyOf"]) ? schema["anyOf"].map((of: unknown) => (isJson(of) ? limitsOf(of) : "")) : [];
  const own = [
    between(schema["minimum"], schema["maximum"], ""),
    between(schema["minLength"], schema["maxLength"], " characters"),
    between(schema["minItems"], schema["maxItems"], " items"),
    between(schema["minProperties"], schema["maxProperties"], " members"),
    typeof schema["exclusiveMinimum"] === "number" ? `more than ${schema["exclusiveMinimum"]}` : "",
    typeof schema["format"] === "string" ? `a ${schema["format"]}` : "",
    typeof schema["pattern"] === "string" ? `matches \`${schema["pattern"]}\`` : "",
    items === "" ? "" : `each: ${items}`,
  ];
  return [...new Set([...own, ...variants])].filter((limit) => limit !== "").join("; ");
}
function between(least: unknown, most: unknown, of: string): string {
  if (typeof least === "number" && typeof most === "number") return `${least} to ${most}${of}`;
  if (typeof most === "number") return `at most ${most}${of}`;
  return typeof least === "number" ? `at least ${least}${of}` : "";
}
