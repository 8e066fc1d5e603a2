import type { Logger } from "#contract";

/** What can go wrong with the export, mildest first; what is logged when it begins. */
const KINDS = {
  waiting: { level: "warn", event: "export.waiting", says: "" },
  disk: { level: "warn", event: "export.memory_only", says: "What waits cannot be written to disk" },
  bodies: { level: "warn", event: "export.bodies_given_up", says: "Bodies of records are given up" },
  records: { level: "error", event: "export.records_given_up", says: "Records are given up" },
} as const;
type Kind = keyof typeof KINDS;

interface Counted {
  readonly name: string;
  readonly droppedBodies: number;
  readonly droppedRecords: number;
}

/** Says once that something began to go wrong, and once, when all is well again, what that came to. */
export class Trouble {
  private readonly begun = new Map<Kind, string>();
  private before = { at: 0, bodies: 0, records: 0 };

  constructor(
    private readonly queue: Counted,
    private readonly log: Logger,
    private readonly now: () => number,
  ) {}

  begins(kind: Kind, why: string): void {
    if (this.begun.has(kind)) return;
    const { name, droppedBodies: bodies, droppedRecords: records } = this.queue;
    if (this.begun.size === 0) this.before = { at: this.now(), bodies, records };
    this.begun.set(kind, why);
    this.log(KINDS[kind].level, KINDS[kind].event, { exporter: name, why });
  }
  over(): void {
    if (this.begun.size === 0) return;
    const { name, droppedBodies, droppedRecords } = this.queue;
    const { at, bodies, records } = this.before;
    this.begun.clear();
    this.log("info", "export.caught_up", {
      exporter: name,
      seconds: Math.round((this.now() - at) / 1000),
      given_up_records: droppedRecords - records,
      given_up_bodies: droppedBodies - bodies,
    });
  }
  /** What is lost just now, for people. */
  sentences(): readonly string[] {
    return [...this.begun].flatMap(([kind, why]) => (KINDS[kind].says === "" ? [] : [`${KINDS[kind].says}: ${why}.`]));
  }
}
