import { section } from "./row.ts";

export const integrations = section("Integrations and providers", [
  ["I.models.list", "The models of an integration are listed: those of which something is said, then those its provider is known to have."],
  [
    "I.models.write",
    "Models are changed together by slug; members left out stay, and the others too. All are judged before any is written.",
  ],
  ["I.models.refused", "A model that makes no sense, or could not be called, is refused with its path, and nothing is written."],
  ["I.models.delete", "Custom models are deleted, all that are named or none; a provider's own is disabled in its place."],
  [
    "I.models.secrets",
    "Headers of a custom model are sealed and shown masked; neither they nor the integration's key go to another host unseen.",
  ],
  [
    "I.models.enforced",
    "A model that is disabled, or that its integration does not allow, is refused by a sentence that names it and its provider.",
  ],
  [
    "I.models.everywhere",
    "It holds in every dialect and operation: forms, sockets, batches, fine-tuning, what passes, and models beside the first.",
  ],
  ["I.models.targets", "It holds for each target on its own, after its parameters: one that is refused falls over to the next."],
  ["I.models.own-host", "A custom model is asked at its own host, with its own headers."],
  ["I.models.price", "A model costs its own price, or the list price of its base; adjustments multiply either."],
  ["I.models.catalogue", "The models list of a workspace holds what it may ask, custom models too, and nothing else."],
  ["I.grants.list", "What each workspace may do with an integration is listed, and how many may use it is counted."],
  ["I.grants.write", "Workspaces are granted an integration, one by one or all; what cannot be is refused before anything is written."],
  ["I.grants.override", "override_existing_workspace_access forgets what was said of single workspaces."],
  ["I.grants.providers", "A grant makes a provider in the workspace, unless it is asked not to; a taken slug is a conflict."],
  ["I.grants.enforced", "A workspace whose grant was withdrawn is refused within a second, and makes no provider of it."],
  ["I.grants.rate-limits", "The rate limit of a grant, and that of a provider, hold for all keys of the workspace together."],
  ["I.grants.usage-limits", "The budget of a grant is enforced.", "budgets"],
  ["I.tenants", "Models and grants of an integration are open to no other organisation, and to no key without the scope."],
  ["I.tags", "Integrations and providers are found by tags, in either form; all must match."],
  ["I.pricing", "The price of a model is told to anybody, in cents per token; of one that nobody lists, 404."],
  ["I.warm", "A warm request to a restricted integration makes no query."],
]);
