import { ApiKeys } from "./schema/api-key.ts";
import { AuditEntries, AuditHeads } from "./schema/audit.ts";
import { Configs } from "./schema/config.ts";
import { Guardrails } from "./schema/guardrail.ts";
import { Integrations, IntegrationWorkspaces, Providers } from "./schema/integration.ts";
import { Mails } from "./schema/mail.ts";
import { OwnedIdRecords } from "./schema/owned-id.ts";
import { PluginCredentials } from "./schema/plugin-credentials.ts";
import { SecretReferences } from "./schema/secret-reference.ts";
import { Users } from "./schema/user.ts";
import { Organisations, Workspaces } from "./schema/workspace.ts";
import type { Collection } from "./storage.ts";

/**
 * The records of a gateway itself: whose it is, who may ask it, what goes where and what judges it. Their tables are there
 * whichever plugins run, for the core looks requests up in them. Whatever else is kept, the plugin brings that keeps it.
 */
export const RECORDS: readonly [Collection, ...Collection[]] = [
  Organisations,
  Workspaces,
  Users,
  ApiKeys,
  Configs,
  Integrations,
  IntegrationWorkspaces,
  Providers,
  Guardrails,
  PluginCredentials,
  SecretReferences,
  OwnedIdRecords,
  Mails,
  AuditEntries,
  AuditHeads,
];
