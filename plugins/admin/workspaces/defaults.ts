import {
  Configs,
  GatewayError,
  guardrailSlugs,
  isUuid,
  type Json,
  judgedMetadata,
  Organisations,
  type RecordOf,
  type RuleInput,
  type WorkspaceDefaults,
  type Workspaces,
} from "#contract";

type Workspace = RecordOf<typeof Workspaces>;
type Input = Pick<RuleInput, "records" | "organisationId">;

/** What is said replaces what was there, member by member; guardrails and configs are kept by their slugs. */
export async function storedDefaults(given: WorkspaceDefaults, input: Input, before: Workspace | undefined): Promise<Json> {
  const { input_guardrails, output_guardrails, user_api_key_config, metadata } = given;
  const at = (member: string) => ({ workspaceId: before?.id ?? null, param: `defaults.${member}` });
  const organisation = await input.records.in(Organisations).get(input.organisationId);
  return {
    ...before?.defaults,
    metadata: judgedMetadata(organisation?.settings ?? {}, "workspace", metadata ?? before?.defaults["metadata"], "defaults.metadata"),
    ...(input_guardrails && { input_guardrails: await guardrailSlugs(input_guardrails, at("input_guardrails"), input) }),
    ...(output_guardrails && { output_guardrails: await guardrailSlugs(output_guardrails, at("output_guardrails"), input) }),
    ...(user_api_key_config !== undefined && { user_api_key_config: await configSlug(user_api_key_config, input, before) }),
  };
}

async function configSlug(name: string | null, { records }: Input, workspace: Workspace | undefined): Promise<string | null> {
  if (name === null) return null;
  const where = { workspace_id: workspace?.id ?? "", status: "active" } as const;
  const config = await records.in(Configs).first({ ...where, [isUuid(name) ? "id" : "slug"]: name });
  if (config) return config.slug;
  const what = `There is no active config ${name} in the workspace.`;
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "defaults.user_api_key_config" });
}
