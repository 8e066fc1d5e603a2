import { GatewayError, messageOf } from "#contract";

/** One step: several statements, or with `parameters` (`$1 $2 …` in the order of their use) a single one. */
export interface SqlStep {
  readonly sql: string;
  readonly parameters?: readonly (string | number)[];
}
export type SqlRows = readonly Readonly<Record<string, unknown>>[];
/**
 * Work on a connection that is inside one transaction and holds the deployment-wide migration lock. It is a generator
 * so that SQLite can run it without giving way: while its lock is held, the same thread must not serve requests.
 */
export type SqlWork = Generator<SqlStep, void, SqlRows>;

/** Such a connection where the database answers later. */
export interface MigrationConnection {
  /** Several statements without parameters. */
  script(sql: string): Promise<void>;
  query(sql: string, parameters?: readonly (string | number)[]): Promise<SqlRows>;
}

export const drive = async (db: MigrationConnection, work: SqlWork): Promise<void> => {
  let step = work.next();
  while (step.done !== true) {
    const { sql, parameters } = step.value;
    const outcome = await (parameters === undefined ? db.script(sql).then(() => []) : db.query(sql, parameters)).then(
      (rows) => ({ rows }),
      (error: unknown) => ({ error }),
    );
    step = "rows" in outcome ? work.next(outcome.rows) : work.throw(outcome.error);
  }
};

/** `why` completes the sentence "The database was not opened: …". */
export const refused = (why: string, cause?: unknown): GatewayError => new GatewayError("MIGRATION_REFUSED", { why }, { cause });

/** Runs a script; what the database says against it becomes a sentence. A GatewayError (storage away) passes. */
export function* orRefuse(sql: string, sentence: (why: string) => string): SqlWork {
  try {
    yield { sql };
  } catch (error) {
    throw GatewayError.is(error) ? error : refused(sentence(messageOf(error)), error);
  }
}
