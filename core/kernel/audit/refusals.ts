import {
  ApiKeys,
  type Counters,
  FIRST_ORGANISATION_ID,
  type GatewayError,
  type Logger,
  maskSecret,
  messageOf,
  type RecordOf,
  type RecordsHandle,
  type Vault,
} from "#contract";
import type { Acting, Actor, AskedBy } from "./acting.ts";
import type { Journal } from "./journal.ts";

const MINUTE_MS = 60_000;
/** Entries a minute and key; what is refused beyond them is counted. */
export const MAX_REFUSALS = 100;
/** The same of all together that nobody is known for: who sends them pays for nothing. */
export const MAX_UNKNOWN = 10;
/** Keys whose refusals beyond the cap are counted apart; those of all others are counted together. */
const MAX_KEYS = 1_000;
const OTHERS = "others";

/** Somebody who was refused. */
export interface Refused {
  /** Who that is, where it is known. */
  readonly caller: Who | null;
  /** The key that was shown. */
  readonly key: string | undefined;
  readonly request: AskedBy;
  readonly status: number;
  /** Whether somebody has that key: one that is expired, for example, is looked up here. */
  readonly isHeld: boolean;
}
export interface Who {
  readonly organisationId: string;
  readonly workspaceId: string | null;
  readonly actor: Actor;
}
export interface RefusalParts {
  readonly journal: Journal;
  readonly counters: Pick<Counters, "reserve">;
  readonly records: Pick<RecordsHandle, "lookup">;
  readonly vault: Pick<Vault, "digest">;
  readonly log: Logger;
  readonly now: () => number;
}
/** What is counted of a key in this minute and has no entry yet. */
interface Beyond {
  readonly refused: Refused;
  readonly who: Who;
  readonly minute: number;
  count: number;
}

/** Entries of refusals: each of the first hundred a minute and key (ten of those of nobody), and one that says how many more there were. */
export class Refusals {
  private readonly beyond = new Map<string, Beyond>();
  private readonly keyOf: (digest: string) => Who | undefined | Promise<Who | undefined>;
  private timer: ReturnType<typeof setTimeout> | undefined;
  constructor(private readonly parts: RefusalParts) {
    this.keyOf = parts.records.lookup(ApiKeys, ["digest"], whoHolds);
  }

  /** Never throws: what cannot be written down is refused all the same. */
  async note(refused: Refused): Promise<void> {
    try {
      const who = refused.caller ?? (refused.isHeld ? await this.whoShows(refused.key) : undefined);
      await this.counted(refused, who ?? unknownWith(refused.key));
    } catch (thrown) {
      this.parts.log("error", "audit.refusal", { why: messageOf(thrown) });
    }
  }
  /** What is counted and not told yet is told, of minutes that are over or of all. */
  async flush(all = true): Promise<void> {
    const minute = Math.floor(this.parts.now() / MINUTE_MS);
    for (const [key, { refused, who, count, ...of }] of this.beyond) {
      if (!all && of.minute === minute) continue;
      this.beyond.delete(key);
      await this.write(refused, who, count).catch((thrown: unknown) =>
        this.parts.log("error", "audit.refusal", { refusals: count, why: messageOf(thrown) }),
      );
    }
  }
  close(): Promise<void> {
    clearTimeout(this.timer);
    return this.flush();
  }

  /** The holder of a key that is known and opens nothing: it is expired, or its workspace was deleted. */
  private async whoShows(key: string | undefined): Promise<Who | undefined> {
    return key === undefined || key.length > MAX_KEY ? undefined : this.keyOf(this.parts.vault.digest(key));
  }

  private async counted(refused: Refused, who: Who): Promise<void> {
    const minute = Math.floor(this.parts.now() / MINUTE_MS);
    const name = `${who.organisationId}:${who.actor.actor_id ?? "unknown"}`;
    const full = this.beyond.get(name);
    if (full?.minute === minute) return void (full.count += 1);
    if (full) await this.flush(false);
    const limit = who.actor.actor_type === "unknown" ? MAX_UNKNOWN : MAX_REFUSALS;
    const claim = { key: `audit-refused:${name}:${minute}`, by: 1, limit, expiresAt: (minute + 2) * MINUTE_MS };
    if ((await this.parts.counters.reserve([claim])).granted) return this.write(refused, who, 1);
    this.count(this.beyond.size < MAX_KEYS ? name : OTHERS, { refused, who, minute });
  }
  private count(name: string, beyond: Omit<Beyond, "count">): void {
    const there = this.beyond.get(name);
    if (there?.minute === beyond.minute) there.count += 1;
    else this.beyond.set(name, { ...beyond, count: 1 });
    this.timer ??= setTimeout(() => this.minuteIsOver(), MINUTE_MS - (this.parts.now() % MINUTE_MS));
    this.timer.unref?.();
  }
  private minuteIsOver(): void {
    this.timer = undefined;
    void this.flush(false);
  }

  private write({ request, status }: Refused, { organisationId, workspaceId, actor }: Who, count: number): Promise<void> {
    const by: Acting = { actor, request, entries: 0 };
    const noted = { organisation_id: organisationId, workspace_id: workspaceId, action: "refuse", resource_type: "requests" };
    return this.parts.journal.note({ ...noted, resource_id: null, status, count }, by);
  }
}

/** Nobody has the key that such a request shows, and no look-up would find one. */
export const isHeld = ({ code }: GatewayError): boolean => code !== "KEY_UNKNOWN" && code !== "KEY_MISSING";

const MAX_KEY = 256;
const whoHolds = ({ id, name, type, user_id, organisation_id, workspace_id }: RecordOf<typeof ApiKeys>): Who => ({
  organisationId: organisation_id,
  workspaceId: workspace_id,
  actor: {
    actor_type: user_id === null ? "api_key" : "user",
    actor_id: user_id ?? id,
    actor_name: name,
    actor_role: type,
  },
});

/** A key of nobody's is told to the operator: no organisation can be charged with it. */
const unknownWith = (key: string | undefined): Who => ({
  organisationId: FIRST_ORGANISATION_ID,
  workspaceId: null,
  actor: { actor_type: "unknown", actor_id: null, actor_name: key === undefined ? null : maskSecret(key.toWellFormed()), actor_role: null },
});
