import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { ConfigBody, defineRoute, HEADERS, OneOf, type Json, mountedOperation, NO_CONTENT } from "#contract";
import { rulesOf } from "#kit";
import { schemaCollector } from "./openapi-schema.ts";
import { openapi } from "./openapi.ts";
import { referencePage } from "./reference.ts";

const chat = {
  operation: "chatComplete",
  body: Type.Object({ messages: Type.Array(Type.String()) }, { $id: "Chat" }),
  reply: Type.Object({ id: Type.String() }),
} as const;
const save = defineRoute({
  plane: "control",
  method: "POST",
  path: "/configs/:slug",
  tag: "Configs",
  summary: "Save <a> config",
  description: "Takes `config`.",
  scope: ["configs.create", "configs.update"],
  body: Type.Object({ config: ConfigBody, properties: Type.Optional(Type.String()) }),
  query: Type.Object({ page: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "Page." })) }),
  reply: Type.Object({ state: OneOf(["on", "off"], { description: "State." }) }),
  errors: [400, 404],
  handle: () => ({ state: "on" as const }),
});
const open = defineRoute({
  plane: "data",
  method: "GET",
  path: "/ping",
  tag: "Health",
  summary: "Ping",
  scope: { public: true },
  reply: Type.Object({}),
  handle: () => ({}),
});
const config = rulesOf({ acme: Type.Object({ acme_region: Type.Optional(Type.String({ bound: true, description: "Region." })) }) });
const document = openapi(
  {
    operations: new Map([["chatComplete", { ...chat, content: NO_CONTENT, row: mountedOperation("chatComplete", NO_CONTENT) }]]),
    routes: [save, open],
    config,
  },
  { title: "Gateway", version: "1.2.3" },
);

describe("the OpenAPI document", () => {
  test("describes operations of the table with their one content type, streams, headers and scopes", () => {
    const operation = {
      operationId: "chatComplete",
      "x-scopes": ["completions.write"],
      requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Chat" } } } },
      responses: { 200: { content: { "application/json": {}, "text/event-stream": {} } }, 446: { $ref: "#/components/responses/Error" } },
    };
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { title: "Gateway" },
      paths: { "/v1/chat/completions": { post: operation } },
    });
    expect(Object.keys((document["components"] as Json)["parameters"] as Json)).toEqual(
      Object.values(HEADERS).map(({ name }) => `x-gateway-${name}`),
    );
  });
  test("describes plain routes with path and query parameters, scopes and errors", () => {
    expect(document).toMatchObject({
      paths: {
        "/v2/configs/{slug}": {
          post: {
            "x-scopes": ["configs.create", "configs.update"],
            parameters: [
              { name: "slug", in: "path", required: true },
              { name: "page", in: "query", required: false, description: "Page.", schema: { type: "integer", default: 0 } },
            ],
            responses: {
              200: { content: { "application/json": { schema: { properties: { state: { enum: ["on", "off"] } } } } } },
              400: {},
              404: {},
            },
          },
        },
        "/v1/ping": { get: { security: [] } },
      },
    });
  });
  test("a schema that holds itself stands once and is referred to; every reference leads somewhere", () => {
    expect(document).toMatchObject({
      components: { schemas: { Config: { properties: { targets: { items: { $ref: "#/components/schemas/Config" } } } } } },
    });
    const found = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? "");
    expect(found).not.toBeEmpty();
    for (const path of new Set(found))
      expect([path, path.split("/").reduce<unknown>((at, part) => (at as Json | undefined)?.[part], document)]).toEqual([
        path,
        expect.any(Object),
      ]);
  });
  test("shows what plugins claim of a config: settings of strategies, and fields of providers", () => {
    expect(document).toMatchObject({
      components: {
        schemas: {
          Config: {
            additionalProperties: false,
            properties: {
              strategy: { properties: { mode: { enum: ["single", "loadbalance", "fallback"] }, on_status_codes: { type: "array" } } },
              cache: { properties: { mode: { enum: ["simple", "semantic"] } } },
              acme_region: { type: "string", description: "Region. (acme)" },
            },
          },
        },
      },
    });
    expect(JSON.stringify(document)).not.toContain('"cb_config"');
  });
  test("requires no member that has a default", () => {
    const schema = Type.Object({
      name: Type.String(),
      size: Type.Integer({ default: 3 }),
      more: Type.Object({ on: Type.Boolean({ default: true }) }),
    });
    expect(schemaCollector().add(schema)).toMatchObject({ required: ["name", "more"] });
    expect(JSON.stringify(schemaCollector().add(schema.properties.more))).not.toContain("required");
  });
  test("is JSON, without words that only the storage understands", () => {
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/"\$id"|"column":|"bound":/);
    expect(JSON.parse(text)).toEqual(document);
  });
});

describe("the reference page", () => {
  const page = referencePage(document);
  test("shows every operation with its members, escaped", () => {
    expect(page).toContain("<code>/v1/chat/completions</code>");
    expect(page).toContain("Save &lt;a&gt; config");
    expect(page).toContain("<code>messages</code>");
    expect(page).not.toContain("<a> config");
  });
  test("loads nothing from anywhere", () => {
    expect(page).not.toMatch(/<script|<link|@import|url\(|src=/);
    for (const [, href] of page.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^(#|\/openapi\.json$)/);
  });
});
