import { drive, type MigrationConnection, orRefuse, refused, type SqlRows, type SqlWork } from "./sql-work.ts";

export { applyCollections } from "./collections.ts";
export type { MigrationConnection } from "./sql-work.ts";

/** One embedded migration file. */
export interface Migration {
  /** File name without `.sql`; migrations run in the order of their ids. */
  readonly id: string;
  /** SHA-256 of the text. */
  readonly checksum: string;
  /** What it destroys (its first line says `-- destructive: …`), or null. */
  readonly destructive: string | null;
  readonly sql: string;
}

export interface MigrationOptions {
  readonly migrations: readonly Migration[];
  /** Id of the one destructive migration the operator allows. */
  readonly allowDestructive: string | undefined;
  readonly now: () => number;
  /** Nothing may be run: what is left to run refuses. */
  readonly keepsTables: boolean;
}

export const applyMigrations = (db: MigrationConnection, options: MigrationOptions): Promise<void> => drive(db, migrationWork(options));

/** Brings the database to this build's migrations: forward only, by checksum; a sentence instead of a guess when it may not. */
export function* migrationWork(options: MigrationOptions): SqlWork {
  yield { sql: `create table if not exists "_migrations" ("id" text primary key, "checksum" text not null, "applied_at" bigint not null)` };
  const applied = yield { sql: `select "id", "checksum" from "_migrations" order by "id"`, parameters: [] };
  const left = pendingMigrations(applied, options);
  if (options.keepsTables && left.length > 0) throw refused(wouldMigrate(left));
  for (const { id, checksum, sql } of left) {
    yield* orRefuse(sql, (why) => `the migration ${id} failed and nothing of it was kept: ${why}`);
    yield {
      sql: `insert into "_migrations" ("id", "checksum", "applied_at") values ($1, $2, $3)`,
      parameters: [id, checksum, options.now()],
    };
  }
}

/** Throws where this build must not open a database to which these migrations were applied. */
export const pendingMigrations = (
  applied: SqlRows,
  { migrations, allowDestructive }: Pick<MigrationOptions, "migrations" | "allowDestructive">,
): readonly Migration[] => {
  const ofThisBuild = new Map(migrations.map((migration) => [migration.id, migration]));
  const done = new Set<string>();
  for (const { id, checksum } of applied) {
    const migration = ofThisBuild.get(String(id));
    if (migration === undefined) throw refused(fromTheFuture(String(id)));
    if (migration.checksum !== checksum) throw refused(changedSince(migration.id));
    done.add(migration.id);
  }
  const left = migrations.filter(({ id }) => !done.has(id));
  const destructive = left.find((migration) => migration.destructive !== null && migration.id !== allowDestructive);
  // In an empty database there is nothing to destroy.
  if (destructive === undefined || done.size === 0) return left;
  throw refused(wouldDestroy(destructive));
};

const wouldMigrate = (left: readonly Migration[]): string =>
  "it was written by another build, and this command does not change tables: " +
  `a start of this build runs ${left.map(({ id }) => id).join(", ")} first`;
const fromTheFuture = (id: string): string =>
  `it holds the migration ${id}, which this build does not know, so a newer build has used it. ` +
  "Start that build again, or restore a backup from before it";
const changedSince = (id: string): string =>
  `its migration ${id} is not the one this build holds (the checksums differ). ` +
  "Start the build that applied it, or restore a backup made with this one";
const wouldDestroy = ({ id, destructive }: Migration): string =>
  `the migration ${id} would ${destructive}. Make a backup, then allow it with GATEWAY_ALLOW_DESTRUCTIVE_MIGRATION=${id}`;
