import { setTimeout as sleep } from "node:timers/promises";
import {
  type AuditEntry,
  type AuditHead,
  type Collection,
  GatewayError,
  type Json,
  type Records,
  type RecordStore,
  type Vault,
  type Where,
  type Write,
} from "#contract";
import { type Acting, actingNow, NO_REQUEST } from "./acting.ts";
import { appending, type Draft, linked } from "./chain.ts";
import { Heads } from "./heads.ts";
import { changedIn } from "./mask.ts";
import { InOrder } from "./in-order.ts";

export interface JournalParts {
  readonly store: RecordStore;
  readonly vault: Pick<Vault, "open">;
  readonly now: () => number;
}
/** What an entry says that no record was written for. */
export type Noted = Pick<Draft, "organisation_id" | "workspace_id" | "action" | "resource_type" | "resource_id" | "status" | "count">;

/** Others may be faster; each of them has then made an entry. Who waits a random while, twice as long each time, comes to it. */
const MAX_TRIES = 20;
const pauseMs = (tries: number): number => Math.random() * Math.min(4 * 2 ** tries, 250);

/**
 * The audit log's writer. What is written through it to an audited collection is committed in one transaction with the entry
 * that tells of it. The entries of an organisation are a chain, so one is made after the other; between processes, the
 * head of the chain decides who was first, and the others try again.
 */
export class Journal {
  private readonly heads: Heads;
  private readonly order = new InOrder();
  private readonly listeners = new Set<(entries: readonly AuditEntry[]) => void>();
  constructor(private readonly parts: JournalParts) {
    this.heads = new Heads(parts.store);
  }

  /** Hears of entries once they are committed. */
  listen(listener: (entries: readonly AuditEntry[]) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** The records of an audited collection, as this part of the gateway writes them. */
  over<T>(collection: Collection, part: string): Records<T> {
    // A collection's own type is forgotten in a `Write`; its records are those of T.
    const records = this.parts.store.in(collection) as unknown as Records<T>;
    const commit = (write: Write): Promise<boolean> => this.commit([write], part);
    return {
      get: (id) => records.get(id),
      first: (where) => records.first(where),
      list: (query) => records.list(query),
      insert: async (value) => void (await commit({ kind: "insert", in: collection, value: value as Json })),
      insertMissing: async (values) =>
        void (values.length > 0 && (await commit({ kind: "insertMissing", in: collection, values: values as readonly Json[] }))),
      update: (id, patch, expect?: Where<T>) =>
        commit({ kind: "update", in: collection, id, patch: patch as Json, ...(expect && { expect: expect as Json }) }),
      remove: (id) => commit({ kind: "remove", in: collection, id }),
    };
  }

  /** All of these writes and the entries of those that are audited, or none; `false` where one does not hold. */
  async commit(writes: readonly Write[], part: string): Promise<boolean> {
    const by = actingNow(part);
    const organisation = await this.organisationOf(writes);
    if (organisation === undefined) return this.parts.store.together(writes);
    return this.order.run(organisation, () => this.appended(organisation, writes, async () => this.draftsOf(writes, by, organisation), by));
  }

  /** An entry of its own. */
  async note(noted: Noted, by: Acting): Promise<void> {
    const draft = { ...noted, ...whoAndHow(by), before: null, after: null, created_at: this.parts.now() };
    const organisation = noted.organisation_id;
    await this.order.run(organisation, () => this.appended(organisation, [], async () => [draft], by));
  }

  private async appended(
    organisation: string,
    writes: readonly Write[],
    draftsOf: () => Promise<readonly Draft[] | undefined>,
    by: Acting,
  ): Promise<boolean> {
    let head = await this.heads.of(organisation);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const drafts = await draftsOf(); // read after the head: whoever changes these records moves it
      if (drafts === undefined) return false;
      const entries = linked(head, drafts);
      const { first, rest } = appending(head, entries);
      if (await this.parts.store.together([first, ...writes, ...rest])) return this.told(head, entries, by);
      const before = head;
      head = await this.heads.now(organisation);
      if (head.hash === before.hash) return false; // it was a write of its own that did not hold
      await sleep(pauseMs(tries));
    }
    throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "records", why: "others wrote all the time" });
  }
  private told(before: AuditHead, entries: readonly AuditEntry[], by: Acting): true {
    const { sequence, hash } = entries.at(-1) ?? before;
    this.heads.remember({ ...before, sequence, hash });
    by.entries += entries.length;
    if (entries.length === 0) return true;
    for (const listener of this.listeners) listener(entries);
    return true;
  }

  /** Of the first audited record; undefined where there is none. All writes that are made together are of one organisation. */
  private async organisationOf(writes: readonly Write[]): Promise<string | undefined> {
    for (const write of writes.filter(isAudited)) {
      const record = await this.recordOf(write);
      if (record !== undefined) return organisationIn(write.in, record);
    }
    return undefined;
  }
  private async recordOf(write: Write): Promise<Json | undefined> {
    if (write.kind === "insert") return write.value;
    if (write.kind === "insertMissing") return write.values[0];
    return this.parts.store.in(write.in).get(write.id);
  }

  /** `undefined`: a record that is to be changed is not there. */
  private async draftsOf(writes: readonly Write[], by: Acting, organisation: string): Promise<readonly Draft[] | undefined> {
    const drafts: Draft[] = [];
    const earlier: Earlier = new Map();
    for (const write of writes.filter(isAudited)) {
      const changes = await this.changesOf(write, earlier);
      if (changes === undefined) return undefined;
      for (const { action, before, after } of changes) {
        const record = { ...before, ...after };
        if (organisationIn(write.in, record) !== organisation)
          throw new TypeError("Writes that are made together are of one organisation.");
        earlier.set(nameOf(write.in, record["id"]), after === null ? undefined : record);
        const changed = changedIn(before, after, write.in, this.parts.vault);
        if (changed === undefined) continue; // a stamp claims a record, and changes nothing of it
        drafts.push({
          ...whoAndHow(by),
          ...changed,
          created_at: this.parts.now(),
          organisation_id: organisation,
          workspace_id: workspaceIn(write.in, record),
          action: action === "update" ? (by.action ?? action) : action,
          resource_type: write.in.name,
          resource_id: String(record["id"]),
          status: 200,
          count: 1,
        });
      }
    }
    return drafts;
  }
  private async changesOf(write: Write, earlier: Earlier): Promise<readonly Change[] | undefined> {
    if (write.kind === "insert") return [{ action: "create", before: null, after: write.value }];
    const records = this.parts.store.in(write.in);
    if (write.kind === "insertMissing") {
      const ids = write.values.map(({ id }) => String(id));
      const { data } = await records.list({ where: { id: ids } as never, limit: ids.length, offset: 0 }); // every record has an id
      const there = new Set(data.map(({ id }: Json) => id));
      return write.values.filter(({ id }) => !there.has(id)).map((after) => ({ action: "create", before: null, after }));
    }
    const name = nameOf(write.in, write.id);
    const before: Json | undefined = earlier.has(name) ? earlier.get(name) : await records.get(write.id);
    if (before === undefined) return undefined;
    if (write.kind === "remove") return [{ action: "delete", before, after: null }];
    return [{ action: "update", before, after: write.patch }];
  }
}

interface Change {
  readonly action: string;
  readonly before: Json | null;
  readonly after: Json | null;
}
/** Records as earlier writes of the same transaction leave them; undefined where one removes it. */
type Earlier = Map<string, Json | undefined>;
const nameOf = ({ name }: Collection, id: unknown): string => `${name}:${String(id)}`;
const isAudited = (write: Write): boolean => write.in.audited === true;

/** An organisation's own record is in its own log. */
const organisationIn = ({ schema }: Collection, record: Json): string =>
  String("organisation_id" in schema.properties ? record["organisation_id"] : record["id"]);
const workspaceIn = ({ schema }: Collection, record: Json): string | null =>
  "workspace_id" in schema.properties && typeof record["workspace_id"] === "string" ? record["workspace_id"] : null;

const whoAndHow = ({ actor, request }: Acting) => ({ ...actor, ...(request ?? NO_REQUEST) });
