import type { Adapter, AdapterInput } from "#contract";
import { isV1, placeOf } from "./place.ts";
import { DEPLOYMENT, incomplete } from "./target.ts";
import { resourcePath } from "./url.ts";

/** The v1 API names the deployment as the model, dated versions as the deployment. */
function search(ask: AdapterInput): string {
  const place = placeOf(ask.target, ask.search);
  const query = new URLSearchParams(ask.search);
  const deployment = place.deployment ?? (ask.target.model || query.get("deployment") || "");
  if (!allowed.test(deployment))
    throw incomplete(
      "azure_deployment_id",
      "it names no deployment; send x-gateway-azure-deployment-id, or a model that is the deployment's name",
    );
  query.delete("model");
  query.delete("deployment");
  query.set(isV1(place) ? "model" : "deployment", deployment);
  return `?${query}`;
}
const allowed = new RegExp(DEPLOYMENT);

export const realtime: Adapter = { path: resourcePath, search };
