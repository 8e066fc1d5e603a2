import {
  type ApiKeys,
  Configs,
  GatewayError,
  guardrailSlugs,
  type Json,
  judgedMetadata,
  Organisations,
  type RuleInput,
  type Written,
} from "#contract";

type Body = Written<(typeof ApiKeys)["fields"]>;

/** Requests look configs and guardrails up by slug, so that is what is kept; a key names those of its own workspace. */
export async function defaultsOf(
  { config_id, input_guardrails, output_guardrails, ...said }: NonNullable<Body["defaults"]>,
  input: Pick<RuleInput, "records" | "workspaceId" | "organisationId">,
): Promise<Json> {
  const { records, workspaceId, organisationId } = input;
  const organisation = await records.in(Organisations).get(organisationId);
  const metadata = judgedMetadata(organisation?.settings ?? {}, "api_key", said.metadata, "defaults.metadata");
  const slugs = (names: readonly string[], member: string) => guardrailSlugs(names, { workspaceId, param: `defaults.${member}` }, input);
  return {
    ...said,
    ...((said.metadata || Object.keys(metadata).length > 0) && { metadata }),
    ...(input_guardrails && { input_guardrails: await slugs(input_guardrails, "input_guardrails") }),
    ...(output_guardrails && { output_guardrails: await slugs(output_guardrails, "output_guardrails") }),
    ...(config_id && { config_id: await configSlug(config_id, input) }),
  };
}

async function configSlug(name: string, { records, workspaceId }: Pick<RuleInput, "records" | "workspaceId">): Promise<string> {
  const configs = records.in(Configs);
  const inWorkspace = { workspace_id: workspaceId ?? "", status: "active" as const };
  const config = (await configs.first({ ...inWorkspace, slug: name })) ?? (await configs.first({ ...inWorkspace, id: name }));
  if (config) return config.slug;
  const what = `There is no active config ${name} in the key's workspace.`;
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "defaults.config_id" });
}
