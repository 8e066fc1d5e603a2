import { expect, test } from "bun:test";
import { AuditEntries, type AuditEntry, AuditHeads, NO_HASH, type Records } from "#contract";
import { auditing } from "../../../tests/audit/setting.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { SLICE, walked } from "./walk.ts";

const organisation = crypto.randomUUID();
const entry = (sequence: number): AuditEntry => ({
  ...{ id: crypto.randomUUID(), created_at: sequence, organisation_id: organisation, workspace_id: null, sequence },
  ...{ actor_type: "system", actor_id: null, actor_name: null, actor_role: null },
  ...{ action: sequence % 3 ? "update" : "create", resource_type: "configs", resource_id: null, method: null, uri: `/${sequence}` },
  ...{ query_params: null, request_id: null, request_headers: null, client_ip: null, user_agent: null, country: null },
  ...{ status: 200, before: null, after: null, count: 1, previous_hash: NO_HASH, hash: NO_HASH },
});

test(verifies("AUD.read", "a long log is looked through in slices, and pages are what one query would give"), async () => {
  const { store } = await auditing();
  const last = 2 * SLICE + 500;
  await store.in(AuditEntries).insertMissing(Array.from({ length: last - 10 }, (_, at) => entry(at + 11)));
  await store.in(AuditHeads).insert({
    ...{ id: organisation, sequence: last, hash: NO_HASH, anchor_sequence: 10, anchor_hash: NO_HASH, anchored_at: 1 },
  });
  const widths: number[] = [];
  const entries: Records<AuditEntry> = {
    ...store.in(AuditEntries),
    list(query) {
      const { from = 0, before = Infinity } = (query.where?.sequence ?? {}) as { from?: number; before?: number };
      widths.push(before - from);
      return store.in(AuditEntries).list(query);
    },
  };
  const records = { in: (of: unknown) => (of === AuditEntries ? entries : store.in(AuditHeads)) } as typeof store;
  const orderBy = { by: "sequence", direction: "desc" } as const;
  for (const where of [{}, { action: "create" }, { uri: { contains: "99" } }, { created_at: { from: 12, before: 15 } }, { action: "none" }])
    for (const page of [
      { limit: 50, offset: 0 },
      { limit: 100, offset: 600 },
      { limit: 3, offset: SLICE - 1 },
      { limit: 0, offset: 0 },
    ]) {
      const found = await walked({ organisation, where, ...page, signal: new AbortController().signal }, records);
      expect(found).toEqual(await store.in(AuditEntries).list({ where: { ...where, organisation_id: organisation }, orderBy, ...page }));
    }
  expect(Math.max(...widths)).toBe(SLICE);
  const nowhere = { organisation: crypto.randomUUID(), where: {}, limit: 1, offset: 0, signal: new AbortController().signal };
  expect(await walked(nowhere, records)).toEqual({ data: [], total: 0 });
});
