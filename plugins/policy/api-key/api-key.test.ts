import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import {
  type ApiKeys,
  type Caller,
  GatewayError,
  type Host,
  type HostBase,
  type RecordOf,
  type RecordsHandle,
  type Catalog,
  SCOPE_TABLE,
  NO_ROTATION,
} from "#contract";
import { verifies } from "../../../tests/requirements/verifies.ts";
import apiKey from "./index.ts";

type Key = RecordOf<typeof ApiKeys>;
const SECRET = "Xk81abcDEF";
const digest = (text: string): string => createHmac("sha256", "pepper").update(text).digest("hex");
const record = (more: Partial<Key> = {}): Key => ({
  id: "key-1",
  created_at: 1,
  last_updated_at: 1,
  organisation_id: "org-1",
  workspace_id: "ws-1",
  user_id: null,
  created_by: "key-0",
  type: "workspace-service",
  creation_mode: "api",
  name: "ci",
  description: null,
  digest: digest(SECRET),
  masked_key: "Xk*******EF",
  status: "active",
  scopes: ["completions.write"],
  rate_limits: [{ type: "requests", unit: "rpm", value: 10 }],
  usage_limits: null,
  defaults: {},
  alert_emails: [],
  expires_at: null,
  ...NO_ROTATION,
  ...more,
});

/** A host whose look-ups find this key; `cold` makes the first answer a promise, `away` a database that is gone. */
async function identifying(key: Key | undefined, state: "warm" | "cold" | "away" = "warm", apiAccess = true) {
  const lookedUp: string[] = [];
  const lookup = (_: unknown, by: readonly (keyof Key)[], map: (found: Key) => unknown) => {
    const mapped = key && map(key);
    return (value: string) => {
      lookedUp.push(value);
      if (state === "away") return Promise.reject(new GatewayError("STORAGE_UNAVAILABLE", { handle: "records" }));
      const found = value === key?.[by[0] ?? "id"] ? mapped : undefined;
      return state === "cold" ? Promise.resolve(found) : found;
    };
  };
  const base: HostBase = { log: () => undefined, now: () => 0 };
  const host = {
    ...base,
    records: { lookup } as unknown as RecordsHandle,
    vault: {
      digest,
      seal: String,
      open: String,
      sealContent: (content: Uint8Array) => content,
      openContent: (sealed: Uint8Array) => sealed,
    },
    catalog: { scopes: () => SCOPE_TABLE } as unknown as Catalog,
  } as Host<"records" | "vault" | "catalog">; // the rest is not used
  const { provides } = await apiKey.setup(host, { apiAccess });
  return { lookedUp, identify: (sent: string, now = 1_000) => provides.identify?.({ key: sent, headers: new Headers(), now }) };
}
const outcome = (run: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(run)
    .then(
      (caller) => (caller === undefined ? "not mine" : (caller as Caller).keyId),
      (error: unknown) => (GatewayError.is(error) ? error.code : String(error)),
    );

describe("a gateway key", () => {
  test("warm, it is known without a promise, and the caller is made once", async () => {
    const { identify } = await identifying(record());
    const caller = identify(SECRET);
    expect(caller).not.toBeInstanceOf(Promise);
    expect(caller).toMatchObject({
      keyId: "key-1",
      keyName: "ci",
      organisationId: "org-1",
      workspaceId: "ws-1",
      configId: null,
      allowConfigOverride: true,
      metadata: {},
    });
    expect(identify(SECRET)).toBe(caller);
    expect((caller as Caller).scopes.has("completions.write")).toBe(true);
  });
  test("cold, it is known too", async () =>
    expect(await outcome(async () => (await identifying(record(), "cold")).identify(SECRET))).toBe("key-1"));
  test("carries the defaults of its record", async () => {
    const { identify } = await identifying(
      record({ defaults: { metadata: { team: "a", count: 3 }, config_id: "cfg", allow_config_override: false } }),
    );
    expect(identify(SECRET)).toMatchObject({ metadata: { team: "a" }, configId: "cfg", allowConfigOverride: false });
  });
  test("is kept on the data plane where API access is off, and says why", async () => {
    const at = async (apiAccess: boolean) =>
      (await (await identifying(record(), "warm", apiAccess)).identify(SECRET)) ?? expect.unreachable();
    expect((await at(false)).dataPlaneOnly).toContain("API_ACCESS_ENABLED");
    expect((await at(false)).scopes.has("completions.write")).toBe(true);
    expect("dataPlaneOnly" in (await at(true))).toBe(false);
  });
  test("that is unknown is KEY_UNKNOWN", async () => {
    for (const state of ["warm", "cold"] as const)
      expect(await outcome(async () => (await identifying(record(), state)).identify("another"))).toBe("KEY_UNKNOWN");
  });
  test("does not work in its stored form", async () =>
    expect(await outcome(async () => (await identifying(record())).identify(digest(SECRET)))).toBe("KEY_UNKNOWN"));
  test("that has expired is KEY_EXPIRED, from that millisecond on", async () => {
    const { identify } = await identifying(record({ expires_at: 1_000 }));
    expect([await outcome(() => identify(SECRET, 999)), await outcome(() => identify(SECRET, 1_000))]).toEqual(["key-1", "KEY_EXPIRED"]);
    expect(await outcome(async () => (await identifying(record({ status: "expired" }))).identify(SECRET))).toBe("KEY_EXPIRED");
  });
  test(
    verifies("K.transition", "that was replaced works until the transition is over, to the millisecond, warm and without a promise"),
    async () => {
      const { identify, lookedUp } = await identifying(
        record({ digest: digest("another"), previous_digest: digest(SECRET), key_transition_expires_at: 2_000 }),
      );
      expect(identify(SECRET, 1_999)).toMatchObject({ keyId: "key-1" });
      expect(await outcome(() => identify(SECRET, 2_000))).toBe("KEY_EXPIRED");
      lookedUp.length = 0;
      expect(identify("another", 2_000)).toMatchObject({ keyId: "key-1" });
      expect(lookedUp).toEqual([digest("another")]); // the key's own secret is found by one look
    },
  );
  test("that was replaced ends with its key", async () => {
    const ending = { digest: digest("another"), previous_digest: digest(SECRET), key_transition_expires_at: 2_000, expires_at: 1_500 };
    expect(await outcome(async () => (await identifying(record(ending))).identify(SECRET, 1_500))).toBe("KEY_EXPIRED");
  });
  test("that cannot be looked up is STORAGE_UNAVAILABLE, never unknown", async () =>
    expect(await outcome(async () => (await identifying(record(), "away")).identify(SECRET))).toBe("STORAGE_UNAVAILABLE"));
  test.each(["header.payload.signature", "a b", "' OR 1=1 --", "ключ", "x".repeat(257), "a\nb", "%00"])(
    "the text %p is no gateway key and is not looked up",
    async (sent) => {
      const { identify, lookedUp } = await identifying(record());
      expect(identify(sent)).toBeUndefined();
      expect(lookedUp).toEqual([]);
    },
  );
});
