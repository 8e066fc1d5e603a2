import { Type } from "@sinclair/typebox";
import { DateTime, Nullable, OneOf, RateLimit, UsageLimits, Uuid } from "#contract";

const name = Type.String({ minLength: 1, maxLength: 255, description: "Name." });
const note = Nullable(Type.String({ maxLength: 4096, description: "Note." }));
const tags = Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 256 }), { description: "Key-value tags." });
const shared = {
  note: Type.Optional(note),
  usage_limits: Type.Optional(Nullable(UsageLimits)),
  rate_limits: Type.Optional(
    Nullable(Type.Union([Type.Array(RateLimit, { maxItems: 10 }), RateLimit], { description: "One rate limit, or several." })),
  ),
  expires_at: Type.Optional(Nullable(DateTime("When it stops working; it must lie ahead."))),
  tags: Type.Optional(tags),
};

export const ProviderView = Type.Object({
  id: Uuid("Id."),
  name: Type.String({ description: "Name." }),
  slug: Type.String({ description: "Short name: `@slug` in requests and configs." }),
  integration_id: Uuid("Integration it is made from."),
  workspace_id: Uuid("Workspace."),
  note: Nullable(Type.String({ description: "Note." })),
  status: OneOf(["active", "exhausted", "expired"], { description: "State." }),
  usage_limits: Nullable(UsageLimits),
  rate_limits: Type.Array(RateLimit),
  expires_at: Nullable(DateTime("When it stops working.")),
  tags,
  created_at: DateTime("When it was made."),
  last_updated_at: DateTime("When it was last written."),
  object: Type.Literal("provider"),
});
export const CreateBody = Type.Object({
  name,
  integration_id: Type.String({ minLength: 1, maxLength: 255, description: "Integration it is made from, by id or slug." }),
  slug: Type.Optional(
    Type.String({ pattern: "^[a-zA-Z0-9_-]+$", maxLength: 255, description: "Short name; made from the name when left out." }),
  ),
  ...shared,
});
export const UpdateBody = Type.Object({
  name: Type.Optional(name),
  ...shared,
  reset_usage: Type.Optional(Type.Boolean({ description: "`true` makes an exhausted provider active again." })),
});
export const Reply = Type.Object({ id: Uuid("Id."), slug: Type.String({ description: "Short name." }) });
