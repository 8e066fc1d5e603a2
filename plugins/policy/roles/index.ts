import { Type } from "@sinclair/typebox";
import {
  type Caller,
  CallerKeyScopes,
  CallerRole,
  CallerSight,
  definePlugin,
  effectiveSecurity,
  GatewayError,
  isPermitted,
  Organisations,
  permissionOf,
  roleIn,
  type ScopeTable,
  type SecurityValues,
  Users,
  WorkspaceMembers,
  Workspaces,
  type OrganisationRole,
  type WorkspaceRole,
} from "#contract";

/** A user key may do what its scopes say and its person's role allows, as it is at this moment. */
export default definePlugin({
  kind: "policy",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog"],
  collections: [Organisations, Users, WorkspaceMembers, Workspaces],
  setup({ records, catalog }) {
    const personOf = records.lookup(Users, ["organisation_id", "id"], ({ role }) => role);
    const membershipOf = records.lookup(WorkspaceMembers, ["workspace_id", "user_id"], ({ role }) => role);
    const settingsOf = records.lookup(Organisations, ["id"], ({ settings }) => settings);
    const ownOf = records.lookup(Workspaces, ["id"], ({ security_settings }) => security_settings);
    return {
      provides: {
        async authorize(caller) {
          if (caller.keyType !== "workspace-user") return caller;
          const { userId, workspaceId, organisationId } = { ...caller, userId: caller.userId ?? "", workspaceId: caller.workspaceId ?? "" };
          const [person, membership] = [await personOf(organisationId, userId), await membershipOf(workspaceId, userId)];
          const values = effectiveSecurity((await settingsOf(organisationId)) ?? {}, (await ownOf(workspaceId)) ?? null);
          return bound(caller, { person, membership, values }, catalog.scopes());
        },
      },
    };
  },
});

interface Standing {
  readonly person: OrganisationRole | undefined;
  readonly membership: WorkspaceRole | undefined;
  readonly values: SecurityValues;
}
function bound(caller: Caller, { person, membership, values }: Standing, table: ScopeTable): Caller {
  const role = person && roleIn(person, membership);
  if (person === undefined || role === undefined) throw new GatewayError("ROLE_MISSING");
  const permission = permissionOf(person, role, values, table);
  return {
    ...caller,
    scopes: new Set([...caller.scopes].filter((scope) => isPermitted(scope, permission))),
    terms: {
      ...caller.terms,
      ...CallerRole.saying(role),
      ...CallerKeyScopes.saying(caller.scopes),
      ...CallerSight.saying(permission.sight),
    },
  };
}
