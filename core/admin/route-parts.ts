import { type TObject, type TProperties, Type } from "@sinclair/typebox";
import type { Resource, ResourceAction, RuleInput } from "#contract";
import { hasWorkspaces, type Input, type On, type Row } from "./record.ts";

/* What the routes of a resource have in common: their words, and what their rules are told. */

const Named = {
  workspace_id: Type.Optional(
    Type.String({ maxLength: 255, description: "Workspace, by id or slug. A workspace key may only name its own." }),
  ),
};

/** In a body, and in the query of lists, where older clients say it. */
export const Organisation = {
  organisation_id: Type.Optional(Type.String({ format: "uuid", description: "The caller's own organisation; another is refused." })),
};

export const closed = (properties: TProperties): TObject => Type.Object(properties, { additionalProperties: false });

interface Documented {
  readonly summary: string;
  readonly errors: readonly number[];
  readonly description?: string | undefined;
}
export function base({ resource }: On, action: ResourceAction, { summary, errors, description }: Documented) {
  return {
    plane: resource.plane,
    tag: resource.tag,
    summary,
    errors: [...new Set(errors)].sort(),
    ...(description !== undefined && { description }),
    ...(resource.failure && { failure: resource.failure }),
    scope: resource.scopes.families.map((family) => `${family}.${action}`),
  } as const;
}

export function stamped({ resource }: On, ruleInput: RuleInput, draft: object): Row {
  return {
    ...draft,
    id: crypto.randomUUID(),
    created_at: ruleInput.now,
    last_updated_at: ruleInput.now,
    organisation_id: ruleInput.organisationId,
    ...(hasWorkspaces(resource) && { workspace_id: ruleInput.workspaceId }),
  };
}

export function ruleInputOf(
  { handles }: On,
  input: Input,
  more: { readonly body: unknown; readonly workspaceId: string | null },
): RuleInput<never, never> {
  const { caller, params, query, now, request } = input;
  const ruleInput = {
    ...handles,
    caller,
    params,
    query,
    now,
    origin: handles.publicUrl ?? new URL(request.url).origin,
    actor: caller.userId ?? caller.keyId,
    organisationId: caller.organisationId,
    ...more,
  };
  return ruleInput as RuleInput<never, never>; // the route's schema has accepted the body and query that the rule was written for
}

export const named = (resource: Resource): TProperties => (resource.tenancy === "organisation" || resource.tenancy === "self" ? {} : Named);
export const memberPath = (resource: Resource): string => `${resource.path}/:${resource.param}`;
export const plural = (resource: Resource): string => resource.plural ?? `${resource.noun}s`;
export const a = (noun: string): string => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
