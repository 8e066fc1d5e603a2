import type { Asker } from "#contract";
import type { SubjectSource } from "./subject.ts";

/** The request that a check judges, as the one it asks a model for. What is asked is truly private: a check sees whose it is. */
export class CheckAsker implements Asker {
  readonly #asked: SubjectSource;
  readonly organisationId: string;
  readonly workspaceId: string | null;

  constructor(asked: SubjectSource) {
    const { organisationId, workspaceId } = asked.view.tenantIds;
    this.#asked = asked;
    this.organisationId = organisationId;
    this.workspaceId = workspaceId;
  }
  /** For the pipeline, which made it; `undefined` for what is none. */
  static askedOf(asker: object): SubjectSource | undefined {
    return #asked in asker ? asker.#asked : undefined;
  }
}
