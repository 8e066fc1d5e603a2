import {
  after,
  all,
  type Caller,
  GatewayError,
  Guardrails,
  isJson,
  isUuid,
  type Json,
  type MaybePromise,
  openSecrets,
  type RecordOf,
  type RecordsHandle,
  tenantOf,
} from "#contract";
import type { Generation } from "../../../kernel/generation.ts";
import type { ActiveGuardrail } from "./active.ts";
import { bind, type Binding, type BindingParts } from "./bind.ts";
import { mutator, savedMutator } from "./mutator.ts";
import { actions, hookCheck, type Written, type WrittenCheck, writtenInline } from "./inline.ts";

/**
 * The guardrails that a list names, ready to run, in its order and each once. Without a promise when the records are
 * warm; binding is done once for each record, and for each inline guardrail that is kept with its config.
 */
export type GuardrailFinder = (refs: readonly (string | Json)[], caller: Caller) => MaybePromise<readonly ActiveGuardrail[]>;

export interface FinderParts extends BindingParts {
  readonly records: Pick<RecordsHandle, "lookup">;
  /** Opens the secret parameters of saved checks. */
  readonly vault: Pick<Generation["vault"], "open">;
}
type Saved = RecordOf<typeof Guardrails>;
/** By the record, or the object in a config, that says them: both are dropped together. */
type Bound = WeakMap<object, ActiveGuardrail>;

export function guardrailFinder(parts: FinderParts): GuardrailFinder {
  const { records, vault } = parts;
  const same = (record: Saved): Saved => record;
  const bySlug = records.lookup(Guardrails, ["organisation_id", "slug"], same);
  const byId = records.lookup(Guardrails, ["id"], same);
  const bound: Bound = new WeakMap();
  /** The same records where configs name them as mutators. */
  const mutators: Bound = new WeakMap();

  const boundOnce = (kept: Bound, key: object, written: () => Written, from: Binding["from"]) => (caller: Caller) =>
    kept.get(key) ??
    after(bind(written(), { parts, from, tenant: tenantOf(caller) }), (guardrail) => {
      kept.set(key, guardrail);
      return guardrail;
    });
  const saved = (ref: string, caller: Caller, asMutator = false): MaybePromise<ActiveGuardrail> =>
    after(isUuid(ref) ? byId(ref) : bySlug(caller.organisationId, ref), (record) => {
      if (record === undefined || !isUsable(record, caller)) throw new GatewayError("GUARDRAIL_UNKNOWN", { guardrail: ref });
      if (!asMutator) return boundOnce(bound, record, () => fromRecord(record, vault), "saved")(caller);
      return boundOnce(mutators, record, () => ({ ...fromRecord(record, vault), ...actions(mutator(record.actions)) }), "saved")(caller);
    });
  const inline = (written: Json, position: number, caller: Caller): MaybePromise<ActiveGuardrail> => {
    if (!isJson(written)) throw new GatewayError("REQUEST_INVALID", { what: "A guardrail in a config is a slug or an object." });
    const name = savedMutator(written);
    if (name !== undefined) return saved(name, caller, true);
    return boundOnce(bound, written, () => writtenInline(written, position), "inline")(caller);
  };

  return (refs, caller) => {
    if (refs.length === 0) return NONE;
    return after(all(refs.map((ref, at) => (typeof ref === "string" ? saved(ref, caller) : inline(ref, at, caller)))), unique);
  };
}
const NONE: readonly ActiveGuardrail[] = [];
/** Each in its last place: a config that names a default guardrail too does not take its last word. */
const unique = (list: readonly ActiveGuardrail[]): readonly ActiveGuardrail[] =>
  list.length < 2 ? list : list.filter((guardrail, at) => list.lastIndexOf(guardrail) === at);

/** An organisation's guardrail serves all its workspaces, a workspace's only itself and the organisation's own keys. */
const isUsable = (record: Saved, caller: Caller): boolean =>
  record.organisation_id === caller.organisationId &&
  (record.workspace_id === null || caller.workspaceId === null || record.workspace_id === caller.workspaceId) &&
  record.status === "active" &&
  record.target === "llm";

const fromRecord = (record: Saved, vault: FinderParts["vault"]): Written => ({
  id: record.slug,
  ...actions(record.actions),
  checks: record.checks
    .map((check) => (check.parameters ? { ...check, parameters: openSecrets(check.parameters, vault) } : check))
    .map((check, at) => ({ ...hookCheck(check), ...mappingsAt(at, record) }))
    .filter(({ enabled }) => enabled !== false),
});

/** The mappings of one check, by the names of its parameters. */
function mappingsAt(at: number, { secret_mappings: mappings }: Saved): Pick<WrittenCheck, "mappings"> {
  const inside = `checks[${at}].parameters.`;
  const own = (mappings ?? []).filter(({ target_field: field }) => field.startsWith(inside));
  return own.length === 0
    ? {}
    : { mappings: own.map((mapping) => ({ ...mapping, target_field: mapping.target_field.slice(inside.length) })) };
}
