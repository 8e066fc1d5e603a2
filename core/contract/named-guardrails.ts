import { GatewayError } from "./errors.ts";
import type { RuleInput } from "./resource.ts";
import { Guardrails } from "./schema/guardrail.ts";
import { isUuid } from "./uuid.ts";

interface Naming {
  /** Null names the organisation's own only. */
  readonly workspaceId: string | null;
  /** Path of the list in the body. */
  readonly param: string;
}
/** The slugs of active guardrails of a workspace or of its organisation, named by slug or id: requests look them up by slug. */
export async function guardrailSlugs(
  names: readonly string[],
  { workspaceId, param }: Naming,
  { records, organisationId }: Pick<RuleInput, "records" | "organisationId">,
): Promise<string[]> {
  const slugs: string[] = [];
  for (const [at, name] of names.entries()) {
    const found = await records.in(Guardrails).first({
      ...{ [isUuid(name) ? "id" : "slug"]: name, organisation_id: organisationId },
      ...{ workspace_id: [workspaceId, null], status: "active", target: "llm" },
    });
    if (!found) throw new GatewayError("GUARDRAIL_UNKNOWN", { guardrail: name }, { param: `${param}[${at}]` });
    slugs.push(found.slug);
  }
  return [...new Set(slugs)];
}
