import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import {
  collectionOf,
  field,
  type Json,
  OneOf,
  resourceOf,
  type RecordOf,
  type Resource,
  versionsOf,
  type Unfilled,
  type Written,
  Timestamp,
  Nullable,
  DateTime,
} from "#contract";
import { CALLERS, tenants } from "../../../tests/kit/tenants.ts";
import { resourceRoutes } from "../../admin/resource.ts";

const text = (description: string) => Type.String({ maxLength: 255, description });
const Things = collectionOf({
  name: "things",
  tenancy: "workspace",
  fields: {
    name: field(text("Name."), { create: "required", update: true, view: true }),
    note: field(text("Note."), { create: "optional", update: true, view: "alone" }),
    kind: field(OneOf(["a", "b"], { description: "Kind." }), { create: "optional", view: true, default: "a" }),
    maker: field(text("Maker."), { view: true, default: ({ actor }) => actor }),
    inner: field(text("Nobody's business."), { create: "optional" }),
    until: field(
      Nullable(Timestamp("End.")),
      { create: "optional", view: true },
      { schema: DateTime("End."), store: (given) => Date.parse(given) },
    ),
    host: field(text("Host."), { create: "optional", update: true, view: true, bound: true }),
    token: field(Nullable(text("Token.")), { create: "optional", update: true, view: true, secret: true }),
    settings: field(
      Type.Object({
        region: Type.Optional(text("Region.")),
        tenant: Type.Optional(Type.String({ bound: true })),
        key: Type.Optional(Type.String({ secret: true })),
        inner: Type.Optional(
          Type.Object({ pin: Type.Optional(Type.String({ secret: true })), realm: Type.Optional(Type.String({ bound: true })) }),
        ),
      }),
      { create: "optional", update: true, view: "alone", secret: "inside", default: {} },
    ),
  },
});
const things = resourceOf(Things, {
  noun: "thing",
  plane: "control",
  path: "/things",
  tag: "Things",
  scopes: { families: ["configs"] },
  object: "thing",
  list: { filters: ["kind"] },
});
const TOKEN = "token-0123456789";
const KEY = "key-0123456789ab";

async function made(body: Json = {}) {
  const world = await tenants([Things]);
  const answer = await world.ask(things, "POST", "/things", CALLERS.workspace, { name: "One", ...body });
  const path = `/things/${String(answer.body["id"])}`;
  return {
    answer,
    get: async () => (await world.ask(things, "GET", path, CALLERS.workspace)).body,
    put: (body: Json) => world.ask(things, "PUT", path, CALLERS.workspace, body),
    list: async (query = "") => (await world.ask(things, "GET", `/things${query}`, CALLERS.workspace)).body["data"] as readonly Json[], // the list's documented shape
    stored: async () => (await world.handles.records.in(Things).list({ limit: 1, offset: 0 })).data[0] ?? expect.unreachable(),
    open: world.handles.vault.open,
  };
}

describe("a field", () => {
  test("that a body leaves out is its default, what is made for it, or null", async () => {
    const { stored } = await made();
    expect(await stored()).toMatchObject({
      note: null,
      kind: "a",
      maker: CALLERS.workspace.keyId,
      until: null,
      token_sealed: null,
      settings: {},
    });
  });
  test("that the resource stores in its own way is stored so where its default stands too", async () => {
    const Shelves = collectionOf({
      name: "shelves",
      tenancy: "workspace",
      fields: { books: field(Type.Array(text("Title.")), { create: "optional", view: true, default: ["none"] }) },
    });
    const rules = { noun: "shelf", plane: "control", path: "/shelves", tag: "Shelves", scopes: { families: ["configs"] } } as const;
    const shelves = resourceOf(Shelves, { ...rules, store: { books: (given) => [...given, "catalogue"] } });
    const world = await tenants([Shelves]);
    expect((await world.ask(shelves, "POST", "/shelves", CALLERS.workspace, {})).body).toMatchObject({ books: ["none", "catalogue"] });
    expect((await world.ask(shelves, "POST", "/shelves", CALLERS.workspace, { books: [] })).body).toMatchObject({ books: ["catalogue"] });
  });
  test("is in the bodies and answers that it names, and in no other", async () => {
    const { answer, get, list, put } = await made({ note: "hidden in lists", inner: "hidden" });
    const shown = [
      "id",
      "name",
      "kind",
      "maker",
      "until",
      "host",
      "masked_token",
      "organisation_id",
      "workspace_id",
      "created_at",
      "last_updated_at",
      "object",
    ];
    expect(Object.keys((await list())[0] ?? {}).sort()).toEqual([...shown].sort());
    expect(Object.keys(await get()).sort()).toEqual([...shown, "note", "settings"].sort());
    expect(answer.body).toEqual(await get());
    for (const member of ["kind", "inner", "maker", "until"])
      expect(await put({ [member]: "b" })).toMatchObject({ status: 400, body: { error: { param: member } } });
    expect(await put({ name: "Two" })).toMatchObject({ status: 200, body: { name: "Two", kind: "a" } });
  });
  test("that is a moment is shown as ISO 8601, and null as null", async () => {
    expect(await (await made({ until: "2026-02-01T00:00:00Z" })).get()).toMatchObject({ until: "2026-02-01T00:00:00.000Z" });
    expect(await (await made()).get()).toMatchObject({ until: null, created_at: "2026-01-01T00:00:00.000Z" });
  });
  test("may be a filter of the list", async () => {
    const { list } = await made({ kind: "b" });
    expect([(await list()).length, (await list("?kind=b")).length, (await list("?kind=a")).length]).toEqual([1, 1, 0]);
  });
  test("that nothing fills is found where the resource is defined", () => {
    const Bare = collectionOf({ name: "bare", tenancy: "workspace", fields: { slug: field(text("Slug."), { view: true }) } });
    const rules = { noun: "bare", plane: "control", path: "/bare", tag: "Bare", scopes: { families: ["configs"] } } as const;
    expect(() => resourceOf(Bare, rules)).toThrow("The field slug of bare");
  });
  test("stands in the document as its column, without a default in answers", () => {
    const [list, create] = resourceRoutes(things, undefined as never); // only its tables are read
    expect(create?.body?.properties).toMatchObject({
      kind: { enum: ["a", "b"], default: "a" },
      token: { anyOf: [{ description: "Token." }, {}] },
    });
    expect(create?.reply.properties.kind).not.toHaveProperty("default");
    expect(JSON.stringify(list?.reply)).not.toContain("_sealed");
  });
});

test("the types follow from the fields too: the compiler knows columns, bodies and what is left to fill", () => {
  const isNothing: Unfilled<typeof Things.fields> extends never ? true : false = true;
  const column: RecordOf<typeof Things>["until"] | RecordOf<typeof Things>["token_sealed"] = null;
  const body: Written<typeof Things.fields> = { kind: "b", until: "2026-02-01T00:00:00Z", token: null };
  expect([isNothing, column, body.kind]).toEqual([true, null, "b"]);
});

describe("a secret", () => {
  test("is sealed at rest and shown masked", async () => {
    const { stored, get, open } = await made({ token: TOKEN, settings: { key: KEY, region: "eu" } });
    expect(JSON.stringify(await stored())).not.toMatch(new RegExp(`${TOKEN}|${KEY}`));
    expect(open((await stored()).token_sealed ?? "")).toBe(TOKEN);
    expect(await get()).toMatchObject({ masked_token: "to*******89", settings: { key: "ke*******ab", region: "eu" } });
  });
  test("that its schema marks is sealed however deep it stands", async () => {
    const { stored, get } = await made({ settings: { inner: { pin: KEY } } });
    expect(JSON.stringify(await stored())).not.toContain(KEY);
    expect(await get()).toMatchObject({ settings: { inner: { pin: "ke*******ab" } } });
  });
  test.each([
    ["one in a list", Type.Object({ list: Type.Array(Type.Object({ key: Type.String({ secret: true }) })) })],
    ["a list of them", Type.Array(Type.Object({ key: Type.String({ secret: true }) }))],
    ["none that is marked", Type.Object({ key: Type.String() })],
  ])("inside that nobody would seal is found where the resource is defined: %s", (_, schema) => {
    const Bare = collectionOf({
      name: "bare",
      tenancy: "workspace",
      fields: { data: field(schema, { create: "required", secret: "inside" }) },
    });
    const rules = { noun: "bare", plane: "control", path: "/bare", tag: "Bare", scopes: { families: ["configs"] } } as const;
    expect(() => resourceOf(Bare, rules)).toThrow("The field data of bare");
    expect(() => resourceOf(Bare, { ...rules, store: { data: (given) => given } })).not.toThrow();
  });
  test("sent back as it is shown stays; null takes it away", async () => {
    const { stored, put } = await made({ token: TOKEN, settings: { key: KEY } });
    const before = await stored();
    await put({ token: "to*******89", settings: { key: "ke*******ab" } });
    expect(await stored()).toMatchObject({ token_sealed: before.token_sealed, settings: before.settings });
    await put({ token: null });
    expect(await stored()).toMatchObject({ token_sealed: null, masked_token: null });
  });
  test.each<[string, Json, Json, string | null]>([
    ["a bound field", { token: TOKEN }, { host: "elsewhere" }, "token"],
    ["a bound field, the mask sent along", { token: TOKEN }, { host: "elsewhere", token: "to*******89" }, "token"],
    ["a bound field beside a secret in JSON", { settings: { key: KEY } }, { host: "elsewhere" }, "settings.key"],
    ["a bound member beside a secret in JSON", { settings: { key: KEY } }, { settings: { key: "ke*******ab", tenant: "them" } }, "key"],
    [
      "a bound member of an inner object",
      { settings: { inner: { pin: KEY, realm: "us" } } },
      { settings: { inner: { pin: "ke*******ab", realm: "them" } } },
      "inner.pin",
    ],
    ["a bound field, with the secret given again", { token: TOKEN }, { host: "elsewhere", token: TOKEN }, null],
    ["a bound field, with the secret taken away", { token: TOKEN }, { host: "elsewhere", token: null }, null],
    ["a bound field where no secret is kept", {}, { host: "elsewhere" }, null],
    ["a field that is not bound", { token: TOKEN }, { name: "Two" }, null],
    ["nothing about the bound one", { token: TOKEN, host: "here" }, { host: "here" }, null],
  ])("that is kept goes nowhere else: %s", async (_, first, update, param) => {
    const { put } = await made(first);
    expect(await put(update)).toMatchObject(param === null ? { status: 200 } : { status: 400, body: { error: { param } } });
  });
});

const Notes = collectionOf({
  name: "notes",
  tenancy: "workspace",
  fields: {
    text: field(text("Text."), { create: "required", update: true, view: true }),
    data: field(Type.Object({ key: Type.Optional(Type.String({ secret: true })) }), {
      create: "optional",
      update: true,
      view: "alone",
      secret: "inside",
      default: {},
    }),
    pass: field(text("Password."), { create: "optional", update: true, view: "alone", secret: true }),
    status: field(OneOf(["active", "archived"], { description: "State." }), { view: true, default: "active" }),
    version_id: field(text("Version."), { view: "alone", default: () => crypto.randomUUID() }),
  },
});
const rules = { noun: "note", plane: "control", path: "/notes", tag: "Notes", scopes: { families: ["configs"] } } as const;
const NoteVersions = versionsOf(Notes, { name: "note_versions", by: "note_id", keeps: ["text", "data", "pass"] });
const notes = resourceOf(Notes, { ...rules, versions: { of: NoteVersions } });
const archived = resourceOf(Notes, { ...rules, remove: { archive: () => ({ status: "archived" as const }) } });

async function written(resource: Resource) {
  const world = await tenants([Notes, NoteVersions]);
  const { body } = await world.ask(resource, "POST", "/notes", CALLERS.workspace, { text: "a", data: { key: KEY }, pass: TOKEN });
  const ask = (method: string, path = "", sent?: Json) => world.ask(resource, method, `/notes${path}`, CALLERS.workspace, sent);
  return { world, ask, id: `/${String(body["id"])}`, first: body["version_id"] };
}

describe("versions", () => {
  test("are every state that a record was saved in, newest first, masked, and go with it", async () => {
    const { world, ask, id, first } = await written(notes);
    world.clock.now += 1000;
    const { body } = await ask("PUT", id, { text: "b", pass: "another-0123456789" });
    const versions = await ask("GET", `${id}/versions`);
    expect(versions.body).toMatchObject({
      total: 2,
      data: [
        {
          id: id.slice(1),
          text: "b",
          masked_pass: "an*******89",
          version_id: body["version_id"],
          last_updated_at: "2026-01-01T00:00:01.000Z",
        },
        { id: id.slice(1), text: "a", masked_pass: "to*******89", version_id: first, data: { key: "ke*******ab" } },
      ],
    });
    expect(versions.text).not.toContain("sealed");
    expect((await world.ask(notes, "GET", `/notes${id}/versions`, CALLERS.theirs)).status).toBe(404);
    await ask("DELETE", id);
    expect((await world.handles.records.in(NoteVersions).list({ limit: 1, offset: 0 })).total).toBe(0);
  });
  test("need a field that says which is the last", () => {
    expect(() => resourceOf(Things, { ...rules, versions: { of: NoteVersions } })).toThrow("no field version_id");
  });
});

test("a record that is archived is in no list that does not ask for it", async () => {
  const { ask, id } = await written(archived);
  await ask("DELETE", id);
  expect((await ask("GET")).body).toMatchObject({ total: 0 });
  expect((await ask("GET", "?status=archived")).body).toMatchObject({ total: 1, data: [{ status: "archived" }] });
});
