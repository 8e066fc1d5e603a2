import { describe, expect, test } from "bun:test";
import { forwardProblem, HEADER_CLASSES, HEADERS, headerClasses, OWN_HEADERS } from "#contract";
import { nothingSpent } from "../core/compute/allowance.ts";
import { headerReader } from "../core/http/headers.ts";
import { HeaderMap } from "../core/http/header-map.ts";
import { outgoingHeaders } from "../core/egress/header.ts";
import { Subject } from "../core/pipeline/guard/subject.ts";
import { callOf } from "#kit";
import { masker } from "../core/contract/log-mask.ts";
import { passedHeaders } from "../core/pipeline/call/passed-headers.ts";

const ALIASES = ["x-acme-", "X-Other", "x-acme-eu-"];
const classes = headerClasses(ALIASES);
const PREFIXES = ["x-gateway-", "x-acme-", "x-other", "x-acme-eu-"];
const OWN = [
  ...new Set([...Object.values(HEADERS).map(({ name }) => name), ...Object.keys(OWN_HEADERS), "hop", "aws-secret-access-key", "anything"]),
];
/** Every row, under every prefix where it has one. */
const VENDORS = ["x-goog-api-key", "ocp-apim-subscription-key", "x-amz-security-token"];
const LISTED = [...Object.keys(HEADER_CLASSES), ...VENDORS];
const EVERY = [...LISTED, ...PREFIXES.flatMap((prefix) => OWN.map((name) => prefix + name))];
/** Written down apart from the table: who may have what. */
const KEYS =
  /^(authorization|x-api-key|api-key|apikey|x-goog-api-key|ocp-apim-subscription-key|x-amz-security-token|x-(auth|access|csrf)-token|x-user-(claims|jwt))$/;
const SESSIONS = /^((set-)?cookie2?|proxy-authorization|sec-websocket-protocol)$/;
const CONNECTION =
  /^(connection|keep-alive|proxy-(connection|authenticate)|te|trailer|transfer-encoding|upgrade|expect|http2-settings|host|content-length|sec-websocket-(key|version|extensions|accept))$/;
const isOwn = (name: string): boolean => PREFIXES.some((prefix) => name.startsWith(prefix));
const bare = (name: string): string => {
  const prefix = PREFIXES.toSorted((a, b) => b.length - a.length).find((start) => name.startsWith(start)) ?? "";
  return name.slice(prefix.length);
};
const isCredential = (name: string): boolean => KEYS.test(name) || SESSIONS.test(name) || (isOwn(name) && bare(name) === "api-key");
const isFree = (name: string): boolean => isOwn(name) && ["trace-id", "span-id"].includes(bare(name));
const headersOf = (name: string): HeaderMap => {
  const received = new HeaderMap(new Headers());
  (received as unknown as { values: Map<string, string> }).values.set(name, "value"); // names that the web's Headers would not take
  return received;
};

describe.each(EVERY.map((name) => [name]))("%s", (name) => {
  const kind = classes.of(name);

  test("is read as the gateway's own under every alias, and only there", () => expect(kind.own).toBe(isOwn(name) ? bare(name) : null));
  test("leaves the process only when it is nobody's own or names a trace, and speaks of no connection or session", () => {
    const out = outgoingHeaders({ [name]: "value" }, { gatewayId: "g", headers: classes }, null, { host: null, mayLoop: false });
    expect(name in out).toBe(isFree(name) || (!isOwn(name) && !SESSIONS.test(name) && !CONNECTION.test(name)));
  });
  test("comes back to the client of no provider", () => {
    const from = new Headers();
    try {
      from.set(name, "value");
    } catch {
      return; // no answer can hold it
    }
    expect(passedHeaders(from, classes, [])).toEqual({});
  });
  test("is shown to a check unless it is a credential or the gateway's own", () => {
    const call = { ...callOf({}), headers: headersOf(name) };
    const subject = new Subject(
      "input",
      {},
      {
        call,
        headers: classes,
        keyHeaders: [],
        view: {
          provider: null,
          model: null,
          metadata: {},
          spending: nothingSpent(),
          tenant: "tenant",
          tenantIds: { organisationId: "o", workspaceId: "w" },
        },
        status: null,
      },
    );
    expect(subject.call.header(name.toUpperCase()) !== null).toBe(isFree(name) || (!isOwn(name) && !isCredential(name)));
  });
  test("is passed on by no check, and to a provider only as its key", () => {
    expect(forwardProblem(name, classes) === undefined).toBe(isFree(name));
    expect(kind.forwardedToProvider).toBe(KEYS.test(name));
  });
  test("is masked in the log when it is a credential, and told apart as the gateway's own", () => {
    const shown = masker({ hash: () => "hash", toHash: [], classes }).headers(headersOf(name), []);
    expect(Object.keys(shown.gateway)).toEqual(isOwn(name) ? [name] : []);
    if (isCredential(name)) expect({ ...shown.gateway, ...shown.plain }).toEqual({ [name]: "*****" });
  });
});

describe("a header that only the gateway writes", () => {
  const INTERNAL = OWN.filter((name) => OWN_HEADERS[name]?.internal);
  test.each(PREFIXES)("is taken out of a request that holds it as %s…", (prefix) => {
    const headers = new HeaderMap(new Headers(INTERNAL.map((name) => [prefix + name, '[{"default.contains":{}}]'])));
    const control = headerReader(classes)(headers);
    expect({ control, left: INTERNAL.filter((name) => headers.has(prefix + name)) }).toEqual({ control: { rest: {} }, left: [] });
  });
  test("is, among others, what the specification names", () =>
    expect(INTERNAL).toEqual(expect.arrayContaining(["default-input-guardrails", "default-output-guardrails", "gateway-exception"])));
});

describe("a header under two names", () => {
  const read = (pairs: readonly [string, string][]) => headerReader(classes)(new HeaderMap(new Headers([...pairs])));
  test.each([
    ["x-gateway-api-key", "x-acme-api-key"],
    ["x-gateway-provider", "x-otherprovider"],
    ["x-gateway-strict-open-ai-compliance", "x-gateway-strict-openai-compliance"],
    ["x-gateway-aws-region", "x-acme-aws-region"],
  ])("says one thing, or is refused: %s, %s", (one, other) => {
    expect(() =>
      read([
        [one, "true"],
        [other, "false"],
      ]),
    ).toThrow("another name");
    expect(() =>
      read([
        [one, "true"],
        [other, "true"],
      ]),
    ).not.toThrow();
  });
  test("twice under one is refused where two cannot be meant", () =>
    expect(() =>
      read([
        ["x-acme-api-key", "one"],
        ["x-acme-api-key", "two"],
      ]),
    ).toThrow("more than once"));
});

test.each(["x-", "a", "Cookie", "content-"])("an alias that would swallow a well-known header is refused: %s", (alias) =>
  expect(() => headerClasses([alias])).toThrow("take a longer prefix"),
);
test("names beyond any client's are judged all the same", () => {
  for (let i = 0; i < 5_000; i += 1) expect(classes.of(`x-acme-${i}`).own).toBe(String(i));
  expect([classes.of("x-acme-api-key").class, classes.of("x-tenant").class]).toEqual(["credential", "plain"]);
});

test("names of any length, as a client may make them up, are not kept: only those a client may have are", () => {
  const { of } = headerClasses([]);
  expect(of("x-short")).toBe(of("x-short"));
  expect(of(`x-${"l".repeat(126)}`)).toBe(of(`x-${"l".repeat(126)}`));
  expect(of(`x-${"l".repeat(127)}`)).not.toBe(of(`x-${"l".repeat(127)}`));
  expect(of(`x-gateway-${"l".repeat(200)}`)).toMatchObject({ class: "control" });
});
