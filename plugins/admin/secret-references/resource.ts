import { Type } from "@sinclair/typebox";
import { JsonObject, resourceOf, SecretReferences, shown } from "#contract";
import { maskedSignIn, storedSignIn } from "./sign-in.ts";
import { matching } from "./search.ts";
import { refuseMapped } from "./mapped-by.ts";
import { visibility, workspacesNamed } from "./rules.ts";

/** References to secrets that are kept elsewhere, of the organisation; each says which workspaces may map it. */
export const secretReferences = resourceOf(SecretReferences, {
  noun: "secret reference",
  plane: "admin",
  path: "/secret-references",
  tag: "Secret References",
  param: "secretReferenceId",
  by: ["slug", "id"],
  scopes: { families: ["secret_references"] },
  object: "secret-reference",
  decidesRoutes: true,
  shows: {
    auth_config: shown(
      JsonObject("How to sign in to the manager. A secret member is shown masked, under its name after `masked_`."),
      (record, { vault }) => maskedSignIn(record.auth_config, vault),
      true,
    ),
  },
  store: { auth_config: storedSignIn, allowed_workspaces: workspacesNamed },
  list: {
    filters: ["manager_type"],
    query: {
      tags: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1024, description: "`name:value`, several with commas between: all must fit." }),
      ),
      search: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: "A part of the name, the short name or the description." }),
      ),
    },
    where: matching,
    page: { default: 20, minimum: 1, maximum: 100 },
  },
  create: { answer: ["id", "slug", "object"], make: (input) => ({ record: visibility(input.body) }) },
  update: {
    description: "At least one member; manager_type stays.",
    change: (_, { body }) => visibility(body),
    answer: [],
  },
  remove: { before: refuseMapped, description: "Refused while a record maps it." },
});
