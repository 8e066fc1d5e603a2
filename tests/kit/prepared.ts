import type { Prepared } from "../../core/pipeline/plan/prepare.ts";
import { leafOf } from "./outcome.ts";

/** What is prepared for a request that names nothing saved. */
export const NOTHING_PREPARED: Prepared = {
  configSlug: null,
  root: leafOf(),
  metadata: {},
  provider: (reference) => Promise.reject(new Error(`nothing is saved here, ${reference} neither`)),
  guardrails: () => [],
};
