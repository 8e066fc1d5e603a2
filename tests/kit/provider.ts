import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import {
  type Adapter,
  type AdapterInput,
  GatewayError,
  headerClasses,
  type Host,
  isJson,
  type Json,
  type Manifest,
  type Need,
  isOperationName,
  PASSING,
  OPERATIONS,
  type OperationId,
  type Plugin,
  type Provider,
  type Running,
  type Target,
} from "#contract";

export interface ProviderCase {
  readonly plugin: Pick<Plugin<"provider">, "kind" | "config" | "needs" | "setup">;
  readonly manifest: Manifest;
  /** Target fields that a complete target of this provider has. */
  readonly fields?: Json;
  readonly host?: Partial<Host<Need>>;
  /** What its configuration has to say; the rest are defaults. */
  readonly config?: Json;
}

const KEY = "test-key-0123456789";
const HOST = "https://models.example.org/base/v9";
const NOW = 1_767_225_600_000;

/** Conformance of a provider: what every one must satisfy, and its manifest's own samples. */
export function testProvider({ plugin, manifest, fields = {}, host = {}, config = {} }: ProviderCase): void {
  const target = (more: Partial<Target> = {}): Target => ({ fields, apiKey: KEY, customHost: null, model: "m", ...more });
  const running = async (): Promise<Provider> => (await setUp(plugin, host, config)).provides;

  describe(`provider ${manifest.id}`, () => {
    test("is a provider, and its needs stand in its manifest", () => {
      expect([plugin.kind, manifest.kind]).toEqual(["provider", "provider"]);
      expect((manifest.needs ?? []) as readonly string[]).toEqual(expect.arrayContaining([...plugin.needs]));
    });
    test("serves operations of the table or of a plugin's own, at least one", async () => {
      const ids = Object.keys((await running()).operations);
      expect(ids).not.toBeEmpty();
      expect(ids.filter((id) => !isOperationName(id))).toEqual([]);
    });
    test("describes every target field and accepts a complete target", async () => {
      const schema = (await running()).target;
      const properties: Json = isJson(schema["properties"]) ? schema["properties"] : {};
      for (const [field, property] of Object.entries(properties))
        expect({ field, description: isJson(property) && property["description"] }).toEqual({ field, description: expect.any(String) });
      expect(
        [...Value.Errors(schema, Value.Default(schema, structuredClone(fields)))].map(({ path, message }) => `${path} ${message}`),
      ).toEqual([]);
    });
    test("reads plain headers only as what a vendor's own client says", async () => {
      const properties: Json = (await running()).target["properties"] ?? {};
      const names = Object.values(properties).flatMap((property) => (isJson(property) ? [property["clientHeader"] ?? []].flat() : []));
      expect(names.filter((name) => headerClasses([]).of(String(name)).class !== "plain")).toEqual([]);
    });
    test("keeps the key out of the URL and sends it to its own or the custom host only", async () => {
      const provider = await running();
      for (const customHost of [HOST, `${HOST}/`]) {
        const { baseUrl } = provider.endpoint(target({ customHost }));
        expect(baseUrl).not.toContain(KEY);
        expect(baseUrl).not.toEndWith("/");
        expect(() => new URL(baseUrl)).not.toThrow();
      }
    });
    test("sends no credential when there is no key", async () => {
      const { headers } = (await running()).endpoint(target({ apiKey: "", customHost: HOST }));
      for (const name of ["authorization", "x-api-key", "api-key", "x-goog-api-key"])
        expect({ name, value: headers[name] }).toEqual({ name, value: undefined });
    });
    test("is asked for what passes below its own place, and with no key in its path", async () => {
      const { passes } = await running();
      const path = passedPath(passes, ask(PASSING, target({ customHost: HOST }), { path: "/own/thing" }));
      if (path === null) return; // its path is made of what the target says, and this one does not
      expect([path.startsWith("/"), path.endsWith("/own/thing"), path.includes(KEY)]).toEqual([true, true, false]);
      expect(new URL(`${HOST}${path}`).href).toBe(`${HOST}${path}`);
    });
    test("reads any error body without throwing", async () => {
      const { error } = await running();
      for (const body of ODD_BODIES) expect(isJson(error?.(500, body, {}) ?? {})).toBeTrue();
    });
    test("maps a chat request without changing the one it was given", async () => {
      const adapter = (await running()).operations.chatComplete;
      if (!adapter) return;
      const body = frozen(CHAT);
      const before = JSON.stringify(body);
      const sent = adapter.request?.(body, ask("chatComplete", target())) ?? body;
      expect(JSON.stringify(body)).toBe(before);
      expect(isJson(sent)).toBeTrue();
    });
    test("passes members it does not know on, when its wire is the client's", async () => {
      const { dialect, operations } = await running();
      const adapter = operations.chatComplete;
      if (!adapter || ![dialect].flat().includes("chat")) return;
      expect(adapter.request?.(CHAT, ask("chatComplete", target())) ?? CHAT).toMatchObject({ x_member_of_tomorrow: { deep: [1] } });
    });
    for (const sample of manifest.samples ?? []) {
      test(`sends its sample ${JSON.stringify(sample["body"]).slice(0, 80)}`, async () => expectSample(await running(), sample, target()));
    }
    test("an offline answer leaves with the client", async () => {
      const { operations, passes } = await running();
      const answering = passes ? { ...operations, [PASSING]: passes } : operations;
      for (const [id, adapter] of Object.entries(answering) as [OperationId | typeof PASSING, Pick<Adapter, "answer">][]) {
        const left = AbortSignal.abort(new Error("left"));
        if (adapter.answer)
          await expect(
            adapter.answer(null, ask(id, target()), left, { method: "GET", url: HOST, headers: new Headers(), body: null }),
          ).rejects.toThrow("left");
      }
    });
  });
}

async function setUp(plugin: ProviderCase["plugin"], host: Partial<Host<Need>>, config: Json): Promise<Running<Provider>> {
  const base = { log: () => undefined, now: () => NOW, ...host };
  return plugin.setup(base as Host<Need>, { ...Value.Create(plugin.config), ...config }); // a plugin reads the handles it asked for, which the case gives
}

function passedPath(passes: Provider["passes"], asked: AdapterInput): string | null {
  try {
    return passes?.path?.(asked) ?? asked.path;
  } catch (thrown) {
    if (GatewayError.is(thrown) && thrown.code === "TARGET_INVALID") return null;
    throw thrown;
  }
}

export const ask = (operation: OperationId | typeof PASSING, target: Target, more: Partial<AdapterInput> = {}): AdapterInput => ({
  target,
  operation,
  path: operation === PASSING ? "/own" : OPERATIONS[operation].path,
  search: "",
  stream: false,
  strict: true,
  ...more,
});

function expectSample(provider: Provider, sample: Json, target: Target): void {
  const { operation, body, sends } = sample;
  const adapter = isOperationName(operation) ? provider.operations[operation] : undefined;
  if (!adapter || !isJson(body)) throw new Error("a sample names an operation the provider serves, and a body");
  expect(adapter.request?.(body, ask(operation as OperationId, target)) ?? body).toEqual(sends as Json);
}

const CHAT: Json = {
  model: "m",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Hi" }] },
  ],
  temperature: 0.5,
  tools: [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } } }],
  x_member_of_tomorrow: { deep: [1] },
};

const ODD_BODIES: readonly unknown[] = [
  undefined,
  null,
  "",
  "<html>502</html>",
  0,
  [],
  {},
  { error: null },
  { error: "no" },
  { error: { message: 7, code: 429 } },
  { detail: [{ msg: "no" }] },
  { message: { inner: 1 } },
];

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
