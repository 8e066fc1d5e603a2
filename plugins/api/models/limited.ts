import {
  after,
  type Control,
  grantsOthers,
  Integrations,
  IntegrationWorkspaces,
  type MaybePromise,
  Providers,
  type RecordsHandle,
  type TargetNode,
} from "#contract";

/** Does the integration of this saved provider allow some models only, to a workspace that may use it? One that may not is told of that as for any request. */
export type IsLimited = (slug: string, workspaceId: string | null) => MaybePromise<boolean>;

/** Known without a query, once it was asked. */
export function limitedProviders(records: Pick<RecordsHandle, "lookup">): IsLimited {
  const integrationOf = records.lookup(Providers, ["workspace_id", "slug"], ({ integration_id }) => integration_id);
  const rulesOf = records.lookup(Integrations, ["id"], (record) => ({
    isLimited: record.status === "active" && (!record.allow_all_models || (record.models ?? []).some(({ enabled }) => !enabled)),
    others: grantsOthers(record),
  }));
  const granted = records.lookup(IntegrationWorkspaces, ["integration_id", "workspace_id"], ({ enabled }) => enabled);
  return (slug, workspaceId) =>
    after(integrationOf(workspaceId ?? "", slug), (integration) => {
      if (integration === undefined) return false;
      return after(rulesOf(integration), (rules) =>
        rules?.isLimited ? after(granted(integration, workspaceId ?? ""), (own = rules.others) => own) : false,
      );
    });
}

/** The one saved provider that a request would ask. */
export function savedSlug({ provider, virtualKey }: Control, root: TargetNode): string | undefined {
  const named =
    (root.kind === "leaf" ? root.provider : null) ??
    provider ??
    (virtualKey === undefined ? undefined : `@${virtualKey.replace(/^@/, "")}`);
  return root.kind === "leaf" && named?.startsWith("@") ? named.slice(1) : undefined;
}
