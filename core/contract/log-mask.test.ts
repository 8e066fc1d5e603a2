import { expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { headerClasses, type Manifest, type Plugin } from "#contract";
import { registry } from "../generated/registry.ts";
import { atWork } from "../../tests/kit/set-up.ts";
import { masker } from "./log-mask.ts";

const CANARY = "canary-4711";
const mask = masker({ hash: (text) => `hash of ${text}`, toHash: [], classes: headerClasses([]) });
const configKept = (config: object): string =>
  mask.headers(new Headers({ "x-gateway-config": JSON.stringify(config) }), []).gateway["x-gateway-config"] ?? "";

/** Schemas of what a config may give a built-in plugin: a provider's target, the parameters of checks. */
async function schemasOf({ manifest: raw, load }: (typeof registry)[number], kind: string): Promise<readonly TSchema[]> {
  const manifest = raw as Manifest; // the registry is made of them
  if (manifest.kind !== kind || load === undefined) return []; // without code, its schema is another plugin's
  const { default: plugin } = (await load()) as { default: Plugin }; // what the kernel loads
  if (kind === "provider") return [(await atWork({ plugin: plugin as Plugin<"provider">, manifest })).provides.target];
  return (await atWork({ plugin: plugin as Plugin<"guardrail">, manifest })).provides.checks.map(({ params }) => params);
}
async function secretsOf(kind: "provider" | "guardrail"): Promise<readonly string[]> {
  const schemas = (await Promise.all(registry.map((row) => schemasOf(row, kind)))).flat();
  return schemas.flatMap((schema) =>
    Object.entries<TSchema>(schema["properties"] ?? {}).flatMap(([name, property]) => (property["secret"] === true ? [name] : [])),
  );
}

test.each([
  ["provider", ["vertex_service_account_json", "aws_secret_access_key", "aws_session_token", "azure_entra_client_secret"]],
  ["guardrail", ["headers", "introspectHeaders"]],
] as const)("what the schema of a %s calls secret is masked in a config header, as text, list or object", async (kind, known) => {
  const secrets = await secretsOf(kind);
  expect(secrets).toEqual(expect.arrayContaining([...known]));
  for (const name of secrets)
    for (const value of [CANARY, [CANARY], { "x-any": CANARY }, JSON.stringify({ any: CANARY })])
      expect({ name, kept: configKept({ targets: [{ [name]: value }] }) }).toEqual({ name, kept: expect.not.stringContaining(CANARY) });
});
test("a header that sets a provider's secret is masked", async () => {
  for (const name of await secretsOf("provider")) {
    const header = `x-gateway-${name.replaceAll("_", "-")}`;
    expect(mask.headers(new Headers({ [header]: CANARY }), []).gateway).toEqual({ [header]: "*****" });
  }
});
test("a query parameter called like one is masked in a URL, and the others stay", () =>
  expect(mask.url(`https://gw.example.com/v1/files?service_account=${CANARY}&limit=5`, "/files")).toBe(
    "https://gw.example.com/v1/files?service_account=*****&limit=5",
  ));
test.each([
  `https://user:p@${CANARY}@gw.example.com/x`,
  `https://${CANARY}@user:p@gw.example.com/x`,
  `https:user:p@${CANARY}@gw.example.com/x`,
  `https:\\\\user:p@${CANARY}@gw.example.com/x`,
  ` https:/\t/user:p@${CANARY}@gw.example.com/x`,
  `redis+tls://user:p@${CANARY}@gw.example.com`,
])("all that stands before the host of a URL is masked, an @ in it or not, as it is parsed: %j", (url) => {
  const kept = [mask.url(url, "/x"), mask.headers(new Headers({ "x-note": url.trim() }), []).plain["x-note"], configKept({ note: url })];
  for (const text of kept) expect(text).toMatch(/^(?!.*canary).*\*{5}@gw\.example\.com/s);
});
test.each(["https://gw.example.com/at/me@example.com", "mailto:me@example.com", "see https://a@b", "10:15@noon"])(
  "an @ that stands elsewhere stays: %s",
  (text) => expect(mask.headers(new Headers({ "x-note": text }), []).plain).toEqual({ "x-note": text }),
);

test("of a long header or URL a record keeps the beginning, and nothing of a secret that stands where it is cut", () => {
  const plain = (value: string): string => mask.headers(new Headers({ "x-note": value }), []).plain["x-note"] ?? "";
  expect(plain("word ".repeat(10_000))).toMatch(/^(word ){3000,3300}\w*…$/);
  expect(plain(`{"note":"${"x".repeat(60_000)}"}`)).toMatch(/^\{"note":"x{60000}"\}$/);
  expect(plain(`{"note":"${"x".repeat(70_000)}"}`)).toBe("*****");
  for (let length = 16_300; length < 16_500; length += 1) {
    const url = `https://user:${CANARY}@gw.example.com/${"a/".repeat(100)}?a=${"b".repeat(length - 300)}&api_key=${CANARY}`;
    for (const kept of [plain(url), mask.url(url, "/x")]) expect(kept).toMatch(/^(?!.*canary).*gw\.example\.com\/a.*(…|=\*{5})$/);
  }
  expect(plain(`https://user:${CANARY}&${"x".repeat(20_000)}@gw.example.com/`)).toBe("https://*****@gw.example.com/");
});
test("every value of a parameter is masked that is a secret once", () =>
  expect(mask.url("https://gw.example.com/v1/x?a=1&b=2&a=sk-aB3dEfGhIjK1mN0pQ", "/x")).toBe(
    "https://gw.example.com/v1/x?a=*****&b=2&a=*****",
  ));
