import { type AuditHead, AuditHeads, NO_HASH, type RecordStore } from "#contract";

/** Organisations whose end of the log is remembered. */
const MAX_HEADS = 10_000;

/** Where the logs end. What was last heard is remembered: a write that relies on it does not hold when it is so no longer. */
export class Heads {
  readonly #known = new Map<string, AuditHead>();
  constructor(private readonly store: RecordStore) {}

  /** As last heard. */
  async of(organisationId: string): Promise<AuditHead> {
    return this.#known.get(organisationId) ?? this.now(organisationId);
  }
  /** As it stands in the store. */
  async now(organisationId: string): Promise<AuditHead> {
    const heads = this.store.in(AuditHeads);
    const stored = await heads.get(organisationId);
    if (stored === undefined) await heads.insertMissing([beginning(organisationId)]);
    return this.remember(stored ?? (await heads.get(organisationId)) ?? beginning(organisationId));
  }
  remember(head: AuditHead): AuditHead {
    if (this.#known.size >= MAX_HEADS) this.#known.clear();
    this.#known.set(head.id, head);
    return head;
  }
}

const beginning = (id: string): AuditHead => ({
  ...{ id, sequence: 0, hash: NO_HASH },
  ...{ anchor_sequence: 0, anchor_hash: NO_HASH, anchored_at: null },
});
