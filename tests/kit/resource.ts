import { beforeEach, describe, expect, test } from "bun:test";
import { type Caller, type Collection, isJson, type Json, type Resource, SCOPES } from "#contract";
import { openapi } from "../../core/http/openapi.ts";
import { resourceRoutes } from "../../core/admin/resource.ts";
import { rulesOf } from "./config.ts";
import { documented } from "./routes.ts";
import { type Answer, CALLERS, type Tenants, tenants } from "./tenants.ts";

export interface ResourceCase {
  readonly resource: Resource;
  /** Collections its rules read or write. */
  readonly collections: readonly Collection[];
  /** A body that makes one; `arrange` may add what refers to other records. */
  readonly create: Json;
  readonly arrange?: (world: Tenants, as: Caller) => Promise<Json>;
  /** Below the resource's path, where creating is not at the path itself. */
  readonly createPath?: string;
  /** A body that changes it, and what a read then shows, among other members. */
  readonly update: Json;
  readonly updated: Json;
  /** Texts of the bodies that no answer may hold. */
  readonly secrets?: readonly string[];
}

const UNKNOWN = "0d9f4c1e-5b52-4a55-8f5e-3a9f3a1b2c3d";

/** Conformance of a control-plane resource: what every one must satisfy. */
export function testResource(given: ResourceCase): void {
  const { resource, update } = given;
  const mayMake = ({ scopes }: Caller): boolean =>
    resource.scopes.families.some((family) => !SCOPES.has(`${family}.create`) || scopes.has(`${family}.create`));
  const makers: readonly Caller[] =
    resource.tenancy === "organisation" ? [CALLERS.admin] : [CALLERS.workspace, CALLERS.admin].filter(mayMake);
  const strangers: readonly Caller[] = [CALLERS.theirs, CALLERS.theirAdmin, CALLERS.second];

  describe(`resource ${resource.plane} ${resource.path}`, () => {
    let world: Tenants;
    let answers: Answer[];
    const ask = async (method: string, path: string, as: Caller | undefined, body?: Json): Promise<Answer> => {
      const answer = await world.ask(resource, method, path, as, body);
      answers.push(answer);
      return answer;
    };
    const bodyFor = async (as: Caller): Promise<Json> => ({ ...given.create, ...(await given.arrange?.(world, as)) });
    const create = async (as: Caller): Promise<string> => {
      const made = await ask("POST", resource.path + (given.createPath ?? ""), as, await bodyFor(as));
      expect(made).toMatchObject({ status: 200 });
      return `${resource.path}/${addressIn(made.body)}`;
    };
    beforeEach(async () => {
      world = await tenants([resource.collection, ...given.collections]);
      answers = [];
    });

    test("no route is open to those without a key, or with a key that lacks the scope", async () => {
      const bare: Caller = { ...CALLERS.admin, scopes: new Set() };
      for (const route of resourceRoutes(resource, world.handles)) {
        const path = route.path.replace(/:[\w-]+/g, UNKNOWN);
        expect([route.method, path, (await ask(route.method, path, undefined)).status]).toEqual([route.method, path, 401]);
        expect([route.method, path, (await ask(route.method, path, bare)).status]).toEqual([route.method, path, 403]);
      }
    });

    for (const maker of makers) {
      test(`a record made with a key of the type ${maker.keyType} can be read, listed, updated and deleted`, async () => {
        const path = await create(maker);
        const first = await ask("GET", path, maker);
        expect(first).toMatchObject({ status: 200 });
        expect(first.body).not.toMatchObject(given.updated);
        expect(listed(await ask("GET", resource.path, maker))).toHaveLength(1);
        expect(await ask("PUT", path, maker, update)).toMatchObject({ status: 200 });
        expect((await ask("GET", path, maker)).body).toMatchObject(given.updated);
        expect(await ask("DELETE", path, maker)).toMatchObject({ status: 200, body: {} });
        expect(await ask("GET", path, maker)).toMatchObject({ status: resource.absent });
        expect(listed(await ask("GET", resource.path, maker))).toHaveLength(0);
      });

      test(`another tenant finds a record of ${maker.keyType} as absent as one that never was`, async () => {
        const path = await create(maker);
        const before = (await ask("GET", path, maker)).text;
        for (const stranger of strangers) {
          for (const [method, body] of [["GET"], ["PUT", update], ["DELETE"]] as const) {
            const theirs = await ask(method, path, stranger, body);
            const unknown = await ask(method, `${resource.path}/${UNKNOWN}`, stranger, body);
            expect(theirs.status).toBeOneOf([resource.absent, 403]);
            expect(theirs.text.replaceAll(path.split("/").at(-1) ?? "", "")).toBe(unknown.text.replaceAll(UNKNOWN, ""));
          }
          expect(listed(await ask("GET", resource.path, stranger))).toHaveLength(isShared(resource, maker, stranger) ? 1 : 0);
        }
        expect((await ask("GET", path, maker)).text).toBe(before);
      });
    }

    test("another tenant's workspace cannot be named", async () => {
      if (resource.tenancy === "organisation") return;
      const body = { ...(await bodyFor(CALLERS.admin)), workspace_id: CALLERS.theirs.workspaceId };
      const createPath = resource.path + (given.createPath ?? "");
      for (const as of [CALLERS.admin, CALLERS.workspace].filter(mayMake)) {
        expect(await ask("POST", createPath, as, body)).toMatchObject({
          status: 403,
          body: { error: { code: "AB03", param: "workspace_id" } },
        });
        expect(await ask("GET", `${resource.path}?workspace_id=${CALLERS.theirs.workspaceId}`, as)).toMatchObject({ status: 403 });
      }
    });

    test("a member nobody knows is refused with its name", async () => {
      const maker = makers[0] ?? CALLERS.admin;
      const path = await create(maker);
      const refused = {
        status: 400,
        body: { error: { type: "invalid_request_error", code: "AB01", param: "surprise", message: expect.stringContaining("surprise") } },
      };
      expect(await ask("POST", resource.path + (given.createPath ?? ""), maker, { ...(await bodyFor(maker)), surprise: 1 })).toMatchObject(
        refused,
      );
      expect(await ask("PUT", path, maker, { surprise: 1 })).toMatchObject(refused);
      expect(await ask("GET", `${resource.path}?surprise=1`, maker)).toMatchObject(refused);
    });

    test("every update member may be left out, and nothing then changes but the time", async () => {
      const maker = makers[0] ?? CALLERS.admin;
      const path = await create(maker);
      const before = withoutStamps((await ask("GET", path, maker)).body);
      world.clock.now += 1000;
      expect(await ask("PUT", path, maker, {})).toMatchObject({ status: 200 });
      expect(withoutStamps((await ask("GET", path, maker)).body)).toEqual(before);
    });

    test("a value that must be unique and is taken is refused, on create and on update, with its name and no gap in the sentence", async () => {
      for (const member of uniqueMembers(resource)) {
        const maker = makers[0] ?? CALLERS.admin;
        const made = await ask("GET", await create(maker), maker);
        const value = String(made.body[member]);
        const refused = {
          status: 409,
          body: {
            error: { code: "AB07", param: member, message: expect.stringContaining(`with the ${member} "${value}" exists already`) },
          },
        };
        const createPath = resource.path + (given.createPath ?? "");
        expect(await ask("POST", createPath, maker, { ...(await bodyFor(maker)), [member]: value })).toMatchObject(refused);
        if (!(member in (resource.update?.body.properties ?? {}))) continue;
        const other = await ask("POST", createPath, maker, { ...(await bodyFor(maker)), [member]: `${value}-2` });
        expect(await ask("PUT", `${resource.path}/${addressIn(other.body)}`, maker, { [member]: value })).toMatchObject(refused);
      }
    });

    test("no answer holds a secret or a member that only the storage knows", async () => {
      for (const maker of makers) {
        const path = await create(maker);
        const shown = answers.length; // the creating answer may show a new secret once
        await ask("GET", path, maker);
        await ask("GET", resource.path, maker);
        await ask("PUT", path, maker, update);
        for (const action of resource.actions ?? []) if (action.method === "GET") await ask("GET", path + action.path, maker);
        await ask("GET", path, maker);
        for (const { text } of answers.slice(shown)) expectClean(text, given.secrets ?? []);
        answers = [];
        await ask("DELETE", path, maker);
      }
    });

    test("the OpenAPI document has every route, with its scopes and a schema for every body and answer", () => {
      const routes = resourceRoutes(resource, world.handles);
      const document = openapi({ operations: new Map(), routes, config: rulesOf() }, { title: "test", version: "0" });
      for (const route of routes)
        expect(documented(document, route)).toMatchObject({
          "x-scopes": [route.scope].flat(),
          responses: { 200: { content: { "application/json": { schema: expect.any(Object) } } } },
        });
      expect(JSON.stringify(document)).not.toContain("undefined");
    });
  });
}

function expectClean(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/"(digest|\w*sealed)"/);
}

const addressIn = (made: Json): string => {
  const data = isJson(made["data"]) ? made["data"] : made;
  return String(data["slug"] ?? data["id"]);
};
const listed = (answer: Answer): readonly unknown[] => (Array.isArray(answer.body["data"]) ? answer.body["data"] : []);

/** Members that a client writes and that no second record may have. */
const uniqueMembers = ({ collection, create }: Resource): readonly string[] =>
  (collection.unique ?? []).flat().filter((member) => member in (create?.body.properties ?? {}));

/** Some lists show a workspace what the organisation has; its single records stay closed all the same. */
const isShared = (resource: Resource, maker: Caller, other: Caller): boolean =>
  resource.list?.showsOrganisation === true && maker.workspaceId === null && maker.organisationId === other.organisationId;

const STAMPS: ReadonlySet<string> = new Set(["last_updated_at", "version_id", "updated_by"]);
const withoutStamps = (read: Json): Json =>
  Object.fromEntries(
    Object.entries(read)
      .filter(([name]) => !STAMPS.has(name))
      .map(([name, value]) => [name, isJson(value) ? withoutStamps(value) : value]),
  );
