import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { ConfigBody, defineRoute, HEADERS, OneOf, type Json, mountedOperation, NO_CONTENT } from "#contract";
import { rulesOf } from "#kit";
import type { Generation } from "../kernel/generation.ts";
import { schemaCollector } from "./openapi-schema.ts";
import { openapi } from "./openapi.ts";

const chat = {
  operation: "chatComplete",
  body: Type.Object({ messages: Type.Array(Type.String()) }, { $id: "Chat" }),
  reply: Type.Object({ id: Type.String() }),
  examples: { "Say hello": { messages: ["Hello"] } },
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
const mounted = <R extends object>(route: R) => ({
  ...route,
  content: NO_CONTENT,
  row: mountedOperation("chatComplete", { content: NO_CONTENT }),
});
const document = openapi(
  {
    operations: new Map([["chatComplete", mounted(chat)]]),
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
    expect(Object.keys((document["components"] as Json)["parameters"] as Json)).toEqual([
      ...Object.values(HEADERS).map(({ name }) => `x-gateway-${name}`),
      ...["idempotency-key", "if-none-match", "if-match"],
    ]);
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
              { $ref: "#/components/parameters/idempotency-key" },
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
  test("introduces the planes that are mounted and no other, and groups their tags so", () => {
    const { description } = document["info"] as { description: string };
    expect(description).toContain("**Data plane, `/v1`.** What applications ask of models: Chat, Health.");
    expect(description).toContain("**Control plane, `/v2`.** What a workspace sets up for them: Configs.");
    expect(description).not.toContain("/admin");
    expect(document["x-tagGroups"]).toEqual([
      { name: "Data plane", tags: ["Chat", "Health"] },
      { name: "Control plane", tags: ["Configs"] },
      { name: "Process", tags: ["Health"] },
    ]);
  });
  test("shows a first request where a provider answers without an account, and none where none does", () => {
    expect((document["info"] as Json)["description"]).not.toContain("curl");
    expect(JSON.stringify(withProvider({ needs: ["net:api.acme.example"] }))).not.toContain("curl");
    const offline = withProvider({});
    expect((offline["info"] as Json)["description"]).toContain('-H "x-gateway-provider: acme"');
    expect(offline).toMatchObject({
      paths: {
        "/v1/chat/completions": {
          post: {
            parameters: expect.arrayContaining([
              expect.objectContaining({ name: "x-gateway-provider", examples: { "say-hello": { value: "acme", "x-disabled": false } } }),
            ]),
          },
        },
      },
    });
  });
  test("says of each operation which scope its key needs, in words that a page shows", () => {
    expect(document).toMatchObject({
      paths: {
        "/v1/chat/completions": { post: { description: "Scope: `completions.write`." } },
        "/v2/configs/{slug}": { post: { description: "Takes `config`.\n\nScope: `configs.create` or `configs.update`." } },
        "/v1/ping": { get: { description: "No key is needed." } },
      },
    });
  });
  test("shows examples by what they show, and asks for the key of the plane first", () => {
    expect(document).toMatchObject({
      security: [{ gatewayKey: [] }, { bearer: [] }],
      paths: {
        "/v1/chat/completions": {
          post: {
            requestBody: {
              content: { "application/json": { examples: { "say-hello": { summary: "Say hello", value: { messages: ["Hello"] } } } } },
            },
          },
        },
        "/v2/configs/{slug}": { post: { security: [{ adminKey: [] }, { bearer: [] }] } },
      },
    });
  });
});

/** The document of a deployment with one provider, which serves chat. */
const withProvider = (manifest: { readonly needs?: readonly string[] }): Json =>
  openapi(
    {
      operations: new Map([["chatComplete", mounted(chat)]]),
      routes: [],
      config,
      providers: new Map([
        ["acme", { manifest: { id: "acme", ...manifest }, provides: { operations: { chatComplete: { answer: () => undefined } } } }],
      ]) as unknown as Generation["providers"], // the members that are looked at
    },
    { title: "Gateway", version: "1.2.3" },
  );
