import { audit } from "./audit.ts";
import { authentication } from "./authentication.ts";
import { controlApi } from "./control-api.ts";
import { controlPlane } from "./control-plane.ts";
import { dataPlaneAssistants } from "./data-plane-assistants.ts";
import { dataPlaneChat } from "./data-plane-chat.ts";
import { dataPlaneDialects } from "./data-plane-dialects.ts";
import { dataPlaneFiles } from "./data-plane-files.ts";
import { dataPlaneHeaders } from "./data-plane-headers.ts";
import { dataPlaneRealtime } from "./data-plane-realtime.ts";
import { dataPlaneMore } from "./data-plane-more.ts";
import { dataPlaneProxy } from "./data-plane-proxy.ts";
import { dataPlaneResponses } from "./data-plane-responses.ts";
import { gemini } from "./data-plane-gemini.ts";
import { dataPlaneKept } from "./data-plane-kept.ts";
import { dataPlaneStatuses } from "./data-plane-statuses.ts";
import { endpoints } from "./endpoints.ts";
import { errorsAndLimits } from "./errors-and-limits.ts";
import { guardrails } from "./guardrails.ts";
import { integrations } from "./integrations.ts";
import { isolation } from "./isolation.ts";
import { keys } from "./keys.ts";
import { mail } from "./mail.ts";
import { partners } from "./partners.ts";
import { resources } from "./resources.ts";
import { secretReferences } from "./secret-references.ts";
import { selfHosting } from "./self-hosting.ts";
import { service } from "./service.ts";
import { vendors } from "./vendors.ts";
import { virtualKeys } from "./virtual-keys.ts";
import type { Requirement } from "./verifies.ts";

/** Every promise of the gateway, in the order of its documentation. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...service,
  ...resources,
  ...secretReferences,
  ...endpoints,
  ...dataPlaneHeaders,
  ...dataPlaneStatuses,
  ...dataPlaneResponses,
  ...authentication,
  ...errorsAndLimits,
  ...selfHosting,
  ...dataPlaneAssistants,
  ...dataPlaneFiles,
  ...gemini,
  ...dataPlaneKept,
  ...dataPlaneMore,
  ...dataPlaneChat,
  ...dataPlaneDialects,
  ...dataPlaneProxy,
  ...dataPlaneRealtime,
  ...guardrails,
  ...partners,
  ...isolation,
  ...controlPlane,
  ...keys,
  ...integrations,
  ...mail,
  ...virtualKeys,
  ...controlApi,
  ...audit,
  ...vendors,
];
