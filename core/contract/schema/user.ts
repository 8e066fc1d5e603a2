import { Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import { Nullable, OneOf, Timestamp, Uuid } from "./column.ts";

/** What a person may be in an organisation, the mightiest first. An owner is made with the organisation, not by the API. */
export const ORGANISATION_ROLES = ["owner", "admin", "member"] as const;
export type OrganisationRole = (typeof ORGANISATION_ROLES)[number];
/** What a person may be in a workspace, the mightiest first. */
export const WORKSPACE_ROLES = ["admin", "manager", "member"] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

export const Email = Type.String({ format: "email", maxLength: 320, description: "E-mail address." });
/** One address, however it is written. */
export const normalEmail = (text: string): string => text.trim().toLowerCase();

const PersonName = (which: string) => Type.String({ maxLength: 255, description: `${which}.` });

/** A person of an organisation. */
export const Users = collectionOf({
  name: "users",
  tenancy: "organisation",
  fields: {
    first_name: field(PersonName("First name"), { view: true }),
    last_name: field(PersonName("Last name"), { view: true }),
    role: field(
      OneOf(ORGANISATION_ROLES, { description: "What the person may do in the organisation." }),
      { update: true, view: true },
      { schema: OneOf(["admin", "member"], { description: "What the person may do in the organisation." }) },
    ),
    email: field(Email, { view: true }),
  },
  unique: [["organisation_id", "email"]],
});

/** Who belongs to a workspace, and as what. Owners and admins of the organisation need not. */
export const WorkspaceMembers = collectionOf({
  name: "workspace_members",
  tenancy: "workspace",
  fields: {
    user_id: field(Uuid("Who."), {}),
    role: field(OneOf(WORKSPACE_ROLES, { description: "What the person may do in the workspace." }), {}),
  },
  unique: [["workspace_id", "user_id"]],
  index: [["user_id"], ["organisation_id"]],
});

export const INVITE_STATES = ["pending", "cancelled", "accepted", "expired"] as const;
const InvitedTo = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255, description: "Workspace, by id or slug." }),
    role: OneOf(WORKSPACE_ROLES, { description: "What the person will be there." }),
  },
  { additionalProperties: false },
);
const KeyDetails = Type.Object(
  { scopes: Type.Array(Type.String({ maxLength: 128 }), { minItems: 1, maxItems: 500, description: "What the key may do." }) },
  { additionalProperties: false, description: "With it, the person gets a user key in each of these workspaces." },
);

/** An invitation of a person to an organisation. Of its token only a keyed hash is kept. */
export const Invites = collectionOf({
  name: "invites",
  tenancy: "organisation",
  fields: {
    email: field(Email, { create: "required", view: true }),
    role: field(OneOf(["admin", "member"], { description: "What the person will be in the organisation." }), {
      create: "required",
      view: true,
    }),
    workspaces: field(Type.Array(InvitedTo, { maxItems: 100, description: "Workspaces that the person will belong to." }), {
      create: "required",
    }),
    workspace_api_key_details: field(Nullable(KeyDetails), { create: "optional" }),
    status: field(OneOf(INVITE_STATES, { description: "What became of it." }), { view: true, default: "pending" }),
    invited_by: field(Uuid("Person or key that made it."), { view: true, default: ({ actor }) => actor }),
    expires_at: field(Timestamp("When it can no longer be accepted."), { view: true }),
    accepted_at: field(Nullable(Timestamp("When it was accepted.")), { view: true }),
    token_digest: field(Type.String({ description: "Keyed hash of its token." }), {}),
  },
  unique: [["token_digest"]],
  index: [["organisation_id", "status"]],
});
