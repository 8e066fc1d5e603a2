import { section } from "./row.ts";

export const secretReferences = section("Secret references", [
  [
    "A.references.shape",
    "Secret references are made, read, listed, changed and deleted under /admin/v2/secret-references in the documented shapes.",
  ],
  [
    "A.references.masked",
    "How to sign in is sealed where it is stored, merged on update, and its secrets are read masked, under the prefix masked_.",
  ],
  ["A.references.moved", "A stored sign-in goes to no other address than it was given for."],
  [
    "A.references.visible",
    "A reference is for all workspaces or for those it lists; giving a list ends the one, and giving all ends the other.",
  ],
  ["A.references.list", "References are filtered by manager_type and tags, searched and paged."],
  [
    "A.references.mapped",
    "A reference cannot be deleted while an integration, a guardrail or an account with a vendor maps it, which the refusal names.",
  ],
  ["A.mappings.rules", "A mapping names a field once, one that its provider has, and a reference that its workspace may see."],
  ["A.mappings.moved", "While a secret is stored, no mapping changes where it goes or whom it stands for."],
  [
    "A.mappings.guardrails",
    "Secret parameters of a guardrail's checks are read when a check runs, and stand in no read, log or hook result; without one a guardrail that denies stays shut.",
  ],
  ["A.mappings.accounts", "Members of an account with a vendor are read when a check needs the account."],
  [
    "A.mappings.used",
    "A mapped key or field is read from its manager when a request needs it, and requests after it ask the manager no more.",
  ],
  [
    "A.mappings.away",
    "With nothing kept and the manager away, a request is answered 503 with a sentence that names the reference and no value.",
  ],
  ["A.references.kept", "A secret is read by one look at a time, kept five minutes at most and read again before they are over."],
  ["A.references.away", "A manager that is away serves what is kept; the log and the health say so, without the value."],
  ["A.references.gone", "A secret that its manager no longer gives is not served from what is kept."],
  [
    "A.oauth.used",
    "An integration with auth_type oauthClientCredentials is called with a token that the gateway fetches from its endpoint, once until shortly before it ends; the secret is masked.",
  ],
  [
    "A.oauth.kept",
    "Tokens of an integration's OAuth client are fetched by one request at a time, kept, and fetched again before they end.",
  ],
  ["A.oauth.renewed", "A token that the provider answers 401 to is replaced once within the request; a second 401 stands."],
  [
    "A.oauth.errors",
    "A token endpoint that refuses (502) or cannot be asked (503) is told of with the integration's name and no secret, and a fallback goes on.",
  ],
  [
    "A.oauth.stored",
    "An OAuth client is judged whole when it is saved; its secret is sealed, may be mapped, and goes to no other endpoint while it is kept.",
  ],
  [
    "A.wif.google",
    "vertex_auth_type wif exchanges a federated token for Google's (and for a service account's): the gateway's own where its operator says, or one of the integration's own.",
  ],
  [
    "A.wif.aws",
    "The role of the gateway's own service account is taken by web identity: it assumes callers' roles, and asks models itself where the operator lends it (aws_auth_type serviceRole).",
  ],
  [
    "A.managers.aws",
    "AWS Secrets Manager is asked with an access key, an assumed role with its external id, or the role of the gateway's service account.",
  ],
  ["A.managers.azure", "Azure Key Vault is asked as an Entra application, or as the federated identity of the gateway's own pod."],
  [
    "A.managers.google",
    "Google Secret Manager is asked as a service account, or as the gateway's own federated identity in projects that the operator names; a value that did not arrive whole is none.",
  ],
  [
    "A.managers.file",
    "Files below the one directory that the operator names are read, and nothing that a path or a link leads to beside it.",
  ],
  ["A.managers.environment", "Environment variables whose names begin as the operator says are read, and no others."],
  [
    "A.managers.vault",
    "HashiCorp Vault is asked by token, AppRole or Kubernetes, version 1 and 2 of its key-value engine, in a namespace.",
  ],
]);
