/**
 * Operations of the sheet that are not here yet. One that answers must be taken off: then all cases are asked of it.
 */
export const WAITING: readonly string[] = [
  "POST /v2/api-keys/{id}/rotate",
  "GET /v2/model-configs/pricing/{provider}/{model}",
  "GET /v2/models/{model}",
  "DELETE /v2/models/{model}",
  "GET /admin/v2/integrations/{slug}/models",
  "PUT /admin/v2/integrations/{slug}/models",
  "DELETE /admin/v2/integrations/{slug}/models",
  "GET /admin/v2/integrations/{slug}/workspaces",
  "PUT /admin/v2/integrations/{slug}/workspaces",
  "GET /v2/audit-logs",
  "GET /v2/virtual-keys",
  "POST /v2/virtual-keys",
  "GET /v2/virtual-keys/{slug}",
  "PUT /v2/virtual-keys/{slug}",
  "DELETE /v2/virtual-keys/{slug}",
];
