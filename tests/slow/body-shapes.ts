import { isJson, type Json } from "#contract";

/** A route with a JSON body, as the gateway's own document tells it. */
export interface BodyRoute {
  readonly method: string;
  readonly path: string;
  readonly schema: Json;
}

export function bodyRoutes(document: Json): readonly BodyRoute[] {
  return Object.entries(object(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(object(methods)).flatMap(([method, is]) => {
      const content = object(object(object(is)["requestBody"])["content"])["application/json"];
      const schema = resolved(object(object(content)["schema"]), document);
      return content === undefined ? [] : [{ method: method.toUpperCase(), path: path.replace(/\{[^}]+\}/g, "x"), schema }];
    }),
  );
}

/** A body that grows with `n`: the number of values in it, about. */
export interface Shape {
  readonly name: string;
  text(n: number): string;
}

const object = (value: unknown): Json => (isJson(value) ? value : {});

function resolved(schema: Json, document: Json): Json {
  const ref = schema["$ref"];
  if (typeof ref !== "string") return schema;
  return ref
    .slice(2)
    .split("/")
    .reduce<Json>((at, part) => object(at[part]), document);
}

const list = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));
const members = (n: number, of: (i: number) => unknown = (i) => i): Json =>
  Object.fromEntries(list(n, (i) => [`member_${i}`, of(i)] as const));

/** Nested to the depth that is allowed, again and again. */
const nest = (depth: number, leaf: unknown): unknown => (depth === 0 ? leaf : { in: [nest(depth - 2, leaf)] });

/** What may stand in the place of any member, growing. */
const VALUES: Readonly<Record<string, (n: number) => unknown>> = {
  "a list of numbers": (n) => list(n, (i) => i),
  "a list of empty objects": (n) => list(n, () => ({})),
  "a list of objects of another shape": (n) => list(n / 4, (i) => ({ [`k${i}`]: i, list: [i] })),
  "a long text": (n) => 'a"\\ü'.repeat(n),
  "an object of many members": (n) => members(n / 2),
  "an object of long names": (n) => Object.fromEntries(list(n / 40, (i) => [`${i}${"k".repeat(200)}`, i] as const)),
  "nested objects": (n) => list(n / 110, (i) => nest(100, i)),
};

/** One shape for each member of the schema, one for members it does not know, and some that no object can have. */
export function shapesOf(schema: Json, document: Json): readonly Shape[] {
  const minimal = object(minimalOf(schema, document));
  const names = [...Object.keys(object(schema["properties"])), "unknown_member"];
  const grown = names.flatMap((name) =>
    Object.entries(VALUES).map(([what, value]) => ({
      name: `${name}: ${what}`,
      text: (n: number) => JSON.stringify({ ...minimal, [name]: value(n) }),
    })),
  );
  return [
    ...grown,
    { name: "the same member again and again", text: (n) => `{${'"name":1,'.repeat(n / 2)}"name":"x"}` },
    { name: "many members", text: (n) => JSON.stringify({ ...minimal, ...members(n / 2) }) },
  ];
}

/** The least that the schema asks for. */
function minimalOf(given: Json, document: Json): unknown {
  const schema = resolved(given, document);
  const first = (Array.isArray(schema["anyOf"]) ? schema["anyOf"] : Array.isArray(schema["enum"]) ? schema["enum"] : [])[0] as unknown;
  if (Array.isArray(schema["enum"])) return first;
  if (isJson(first)) return minimalOf(first, document);
  if ("const" in schema) return schema["const"];
  const of: Readonly<Record<string, () => unknown>> = {
    object: () => {
      const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
      return Object.fromEntries(required.map((name) => [name, minimalOf(object(object(schema["properties"])[String(name)]), document)]));
    },
    array: () => list(Number(schema["minItems"] ?? 0), () => minimalOf(object(schema["items"]), document)),
    string: () => (schema["format"] === "uuid" ? crypto.randomUUID() : "x".repeat(Math.max(1, Number(schema["minLength"] ?? 1)))),
    integer: () => Number(schema["minimum"] ?? 1),
    number: () => Number(schema["minimum"] ?? 1),
    boolean: () => false,
  };
  return of[String(schema["type"])]?.() ?? null;
}

/* ── bodies that are right, so that rules walk them too ──────────────────────────────────────────────────────── */

const SANDBOX = { provider: "sandbox" };
const chain = (levels: number, leaf: Json): Json =>
  levels === 0 ? leaf : { strategy: { mode: "fallback" }, targets: [chain(levels - 1, leaf)] };
const many = (n: number, of: (i: number) => unknown): Json => {
  const outer = Math.min(100, Math.ceil(n / 50));
  return { targets: list(outer, (o) => ({ targets: list(Math.min(50, Math.ceil(n / outer)), (i) => of(o * 50 + i)) })) };
};

/** Configs that could be obeyed, or nearly. */
export const CONFIGS: Readonly<Record<string, (n: number) => unknown>> = {
  "targets in targets": (n) => chain(Math.min(58, Math.floor(n / 250)), SANDBOX),
  "many targets": (n) => many(n / 8, () => SANDBOX),
  "many targets with credentials": (n) => many(n / 8, (i) => ({ ...SANDBOX, api_key: `sk-${i}-0123456789abcdef` })),
  "many targets that take over many parameters": (n) => ({
    override_params: members(n / 8),
    ...many(n / 16, (i) => ({ ...SANDBOX, override_params: { user: `u${i}` } })),
  }),
  "deep parameters": (n) => ({ ...SANDBOX, override_params: { list: list(n / 110, (i) => nest(100, i)) } }),
  "many parameters": (n) => ({ ...SANDBOX, override_params: members(n / 2), default_params: members(n / 2) }),
  "secrets in parameters": (n) => ({ ...SANDBOX, override_params: { list: list(n / 8, (i) => ({ api_key: `secret-${i}-0123456789` })) } }),
  "inline guardrails": (n) => ({
    ...SANDBOX,
    input_guardrails: list(Math.min(100, n / 50), (i) => ({ "default.contains": { words: list(n / 100, (j) => `w${i}${j}`) } })),
  }),
  "inline guardrails with many checks": (n) => ({
    targets: list(Math.min(100, n / 100), () => ({
      ...SANDBOX,
      input_guardrails: [
        {
          checks: list(Math.min(100, n / 50), () => ({
            id: "default.webhook",
            parameters: { webhookURL: "https://a.example", headers: "h" },
          })),
        },
      ],
    })),
  }),
  "guardrails by name": (n) => ({
    targets: list(100, (i) => ({ ...SANDBOX, input_guardrails: list(Math.min(100, n / 200), (j) => `pg-${i}-${j}`) })),
  }),
  "an inline guardrail's nested parameters": (n) => ({
    ...SANDBOX,
    output_guardrails: [
      {
        "default.contains": {
          words: nest(
            100,
            list(n / 2, (i) => i),
          ),
        },
      },
    ],
  }),
};

const chat = (more: Json): string => JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello" }], ...more });
/** What a data-plane body may be at its largest. */
export const LARGE_SHAPES: readonly Shape[] = [
  { name: "a list of numbers", text: (n) => chat({ numbers: list(n, (i) => i) }) },
  { name: "many messages", text: (n) => chat({ messages: list(n / 6, (i) => ({ role: "user", content: `Message ${i}` })) }) },
  { name: "many members", text: (n) => chat(members(n / 2)) },
  { name: "nested lists", text: (n) => chat({ nested: list(n / 110, (i) => nest(100, i)) }) },
  {
    name: "a picture",
    text: (n) =>
      chat({
        messages: [
          { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${"QUJD".repeat(n * 19)}` } }] },
        ],
      }),
  },
];
