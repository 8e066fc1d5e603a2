import { after, type Control, Integrations, type MaybePromise, Providers, type RecordsHandle, type TargetNode } from "#contract";

/** Does the integration of this saved provider allow some models only? */
export type IsLimited = (slug: string, workspaceId: string | null) => MaybePromise<boolean>;

/** Known without a query, once it was asked. */
export function limitedProviders(records: Pick<RecordsHandle, "lookup">): IsLimited {
  const integrationOf = records.lookup(Providers, ["workspace_id", "slug"], ({ integration_id }) => integration_id);
  const isLimited = records.lookup(
    Integrations,
    ["id"],
    ({ allow_all_models, models }) => !allow_all_models || (models ?? []).some(({ enabled }) => !enabled),
  );
  return (slug, workspaceId) =>
    after(integrationOf(workspaceId ?? "", slug), (integration) =>
      integration === undefined ? false : after(isLimited(integration), (limited = false) => limited),
    );
}

/** The one saved provider that a request would ask. */
export function savedSlug({ provider, virtualKey }: Control, root: TargetNode): string | undefined {
  const named =
    (root.kind === "leaf" ? root.provider : null) ??
    provider ??
    (virtualKey === undefined ? undefined : `@${virtualKey.replace(/^@/, "")}`);
  return root.kind === "leaf" && named?.startsWith("@") ? named.slice(1) : undefined;
}
