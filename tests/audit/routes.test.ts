import { afterAll, describe, expect, test } from "bun:test";
import { type Collection, RECORDS } from "#contract";
import { registry } from "../../core/generated/registry.ts";
import { leavesEntry } from "../../core/http/auditing.ts";
import { STEP_LIMITS } from "../../core/kernel/life.ts";
import { bootWith, PROFILE } from "../kit/deployment.ts";
import { verifies } from "../requirements/verifies.ts";

const built = await bootWith([], {
  registry: [...registry],
  profile: { ...PROFILE, plugins: { "storage/sqlite": { enabled: false } } },
  limits: STEP_LIMITS,
});
afterAll(() => built.end());

/** Routes of the control and admin planes that are no GET and leave no entry; why. */
const CHANGES_NOTHING: Readonly<Record<string, string>> = {
  "control POST /guardrails/evaluate": "it judges a body, and writes nothing",
};

describe("the audit log leaves nothing out", () => {
  test(verifies("AUD.routes", "every route that may change something leaves an entry, or says that it changes nothing"), () => {
    const silent = built.generation.routes
      .filter(({ plane, method }) => plane !== "data" && method !== "GET")
      .filter((route) => !leavesEntry(route))
      .map(({ plane, method, path }) => `${plane} ${method} ${path}`);
    expect(silent.sort()).toEqual(Object.keys(CHANGES_NOTHING).sort());
  });

  /** Collections whose writes leave no entry; why. */
  const NOT_AUDITED: Readonly<Record<string, string>> = {
    owned_ids: "made by requests of the data plane, millions of them",
    kept_responses: "the same: answers that are kept for their clients",
    config_versions: "the state that the entry of the config's own change tells",
    mails: "written by the gateway: the entry of what they tell of tells it, and that of a route who deletes one",
    audit_entries: "the log itself",
    audit_heads: "where it ends",
  };
  test(verifies("AUD.entry", "every collection of records is audited, or says why not"), async () => {
    const collections = new Map<string, Collection>(RECORDS.map((collection) => [collection.name, collection]));
    for (const { load } of registry)
      for (const collection of ((await load?.()) as { default?: { collections?: readonly Collection[] } } | undefined)?.default
        ?.collections ?? [])
        collections.set(collection.name, collection);
    const silent = [...collections.values()].filter(({ audited }) => audited !== true).map(({ name }) => name);
    expect(silent.sort()).toEqual(Object.keys(NOT_AUDITED).sort());
  });
});
