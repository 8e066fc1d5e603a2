import { section } from "./row.ts";

export const selfHosting = section("9 Versioning, self-hosting", [
  ["9.prefixes", "Data plane under /v1, control plane under /v2, admin plane under /admin/v2."],
  ["9.virtual-key", "The legacy virtual-key header remains accepted."],
  ["9.flags-default", "Guardrails and policies are enabled by default."],
  ["9.flag-guardrails", "GUARDRAILS_ENABLED=OFF disables guardrails."],
  ["9.flag-policy", "POLICY_ENABLED=OFF disables policies."],
  ["9.flag-api-access", "API_ACCESS_ENABLED=OFF disables API access."],
  ["9.flag-exports", "DATA_EXPORTS_ENABLED=OFF disables data exports.", "analytics"],
  ["9.flag-usage", "USAGE_LIMITS_ENABLED=OFF disables the rate limits of keys."],
  ["9.flag-budgets", "USAGE_LIMITS_ENABLED=OFF disables usage limits.", "budgets"],
  ["9.flag-audit", "AUDIT_LOGS_ENABLED=OFF disables audit logs."],
  ["9.flag-scim", "SCIM_ENABLED=OFF disables SCIM.", "single sign-on and JWT"],
  ["9.log-retention", "LOG_RETENTION_DISPLAY defaults to 90 days."],
  ["9.metrics-retention", "METRICS_RETENTION_DISPLAY defaults to 365 days.", "analytics"],
  ["9.db-ssl", "DB_SSL takes DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY and a cloud bundle."],
  ["9.db-ssl-files", "DB_SSL_CA, DB_SSL_CERT and DB_SSL_KEY give certificates and key."],
]);
