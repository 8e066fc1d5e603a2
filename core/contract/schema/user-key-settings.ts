import { type Static, Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "./column.ts";

const closed = { additionalProperties: false } as const;
const said = {
  user_api_key_auto_create: Type.Optional(
    Nullable(Type.Boolean({ description: "Whoever becomes a member of a workspace gets a user key in it." })),
  ),
  user_api_key_auto_create_scopes: Type.Optional(
    Nullable(
      Type.Array(Type.String({ maxLength: 128 }), {
        maxItems: 500,
        description: "What keys that are made for people may hold at most, whatever an invite says; null is what the person's role allows.",
      }),
    ),
  ),
  user_api_key_rotation_period: Type.Optional(
    Nullable(
      Type.Union([Type.Integer({ minimum: 1, maximum: 365 }), OneOf(["weekly", "monthly"], { description: "7 or 30 days." })], {
        description: "Days after which the secret of each user key is replaced; null leaves it to the keys.",
      }),
    ),
  ),
  user_api_key_ttl: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 60,
        maximum: 315_360_000,
        description: "Seconds that a user key lives at most, from when it is made or prolonged.",
      }),
    ),
  ),
  user_api_key_limit: Type.Optional(
    Nullable(
      Type.Integer({ minimum: 0, maximum: 1_000_000, description: "How many user keys a workspace may have that have not expired." }),
    ),
  ),
};
/** What a workspace says of its user keys, where the organisation lets it. */
export const WorkspaceKeySettings = Type.Object(said, {
  ...closed,
  description: "What holds of user keys here; null, and what is left out, is as the organisation says.",
});
/** What an organisation says of all user keys. */
export const OrganisationKeySettings = Type.Object(
  {
    ...said,
    default_workspace_user_api_key_auto_create: Type.Optional(
      Type.Boolean({ description: "Everybody who joins the organisation and may be in its default workspace gets a user key there." }),
    ),
    user_api_key_workspace_overrides: Type.Optional(
      Type.Boolean({ description: "Workspaces may say otherwise, in `settings` of their own; what they said counts while this is on." }),
    ),
  },
  { ...closed, description: "What holds of user keys. Members left out stay as they are." },
);
export type OrganisationKeySettings = Static<typeof OrganisationKeySettings>;
export type WorkspaceKeySettings = Static<typeof WorkspaceKeySettings>;
