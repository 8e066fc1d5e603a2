import { Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import { makeSlug } from "../resource.ts";
import { JsonObject, Nullable, OneOf, Uuid } from "./column.ts";

const limited = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });

/** Where a secret is kept that the organisation does not keep here, and how to sign in there. */
export const SecretReferences = collectionOf({
  name: "secret_references",
  tenancy: "organisation",
  fields: {
    name: field(limited(255, "Name."), { create: "required", update: true, view: true }),
    slug: field(
      Type.String({ pattern: "^[a-zA-Z0-9_-]+$", maxLength: 255, description: "Short name." }),
      { create: "optional", view: true, default: ({ body }) => makeSlug("", String(body["name"])) },
      {
        schema: Type.String({ pattern: "^[a-zA-Z0-9_-]+$", maxLength: 255, description: "Short name; made from the name when left out." }),
      },
    ),
    description: field(Nullable(Type.String({ maxLength: 1024, description: "What it is for." })), {
      create: "optional",
      update: true,
      view: "alone",
    }),
    /** The plugin's word for itself. */
    manager_type: field(
      limited(
        64,
        "The manager that keeps the secret, by the name of a running plugin: a name that is none is refused with those there are.",
      ),
      { create: "required", view: true },
    ),
    /** One of the manager's own ways to sign in; its schema says what is secret. Shown by the resource, which names what it masks. */
    auth_config: field(
      JsonObject("How to sign in to the manager."),
      { create: "required", update: true, secret: "inside" },
      {
        schema: JsonObject(
          "How to sign in to the manager: the members of one of its ways, which the reference page of its plugin lists. An update is merged into what is there; null takes a member away. While a secret stays, what says where it goes or whom it stands for stays too: to change those, give it again.",
        ),
      },
    ),
    secret_path: field(limited(1024, "Where the manager keeps it."), { create: "required", update: true, view: "alone" }),
    secret_key: field(Nullable(limited(255, "The member of what is kept there.")), { create: "optional", update: true, view: "alone" }),
    allow_all_workspaces: field(Type.Boolean({ description: "Every workspace of the organisation may map it." }), {
      create: "optional",
      update: true,
      view: "alone",
      default: () => true,
    }),
    allowed_workspaces: field(
      Type.Array(Uuid("Workspace."), { description: "Those that may, where not all may." }),
      { create: "optional", update: true, view: "alone", default: [] },
      {
        schema: Type.Array(limited(255, "Workspace, by id or slug."), {
          minItems: 1,
          maxItems: 1000,
          description: "Those that may, and no others.",
        }),
      },
    ),
    tags: field(
      Nullable(
        Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 256 }), {
          maxProperties: 50,
          description: "Key-value tags.",
        }),
      ),
      { create: "optional", update: true, view: "alone" },
    ),
    status: field(OneOf(["ACTIVE"], { description: "State." }), { view: true, default: "ACTIVE" }),
    created_by: field(Uuid("Who made it."), { view: "alone", default: ({ actor }) => actor }),
  },
  unique: [["organisation_id", "slug"]],
});

/** Says that a member of a record is not kept in it, but where a secret reference says. */
export const SecretMapping = Type.Object(
  {
    target_field: limited(
      255,
      "The field that is kept elsewhere: `key` or `configurations.<member>` of an integration, `credentials.<member>` of an account with a vendor, `checks[0].parameters.<member>` of a guardrail.",
    ),
    secret_reference_id: limited(255, "The secret reference, by id or slug."),
    secret_key: Type.Optional(Nullable(limited(255, "The member of what is kept there, in place of the reference's own."))),
    value_format: Type.Optional(Nullable(OneOf(["json", "string"], { description: "`json`: the text is parsed." }))),
  },
  { additionalProperties: false },
);
export const SecretMappings = Type.Array(SecretMapping, { maxItems: 50, description: "Members that are kept in a manager of secrets." });
