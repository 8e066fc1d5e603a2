import { authentication } from "./authentication.ts";
import { dataPlaneAssistants } from "./data-plane-assistants.ts";
import { dataPlaneChat } from "./data-plane-chat.ts";
import { dataPlaneDialects } from "./data-plane-dialects.ts";
import { dataPlaneFiles } from "./data-plane-files.ts";
import { dataPlaneRealtime } from "./data-plane-realtime.ts";
import { dataPlaneMore } from "./data-plane-more.ts";
import { dataPlaneProxy } from "./data-plane-proxy.ts";
import { dataPlaneResponses } from "./data-plane-responses.ts";
import { gemini } from "./data-plane-gemini.ts";
import { dataPlaneKept } from "./data-plane-kept.ts";
import { endpoints } from "./endpoints.ts";
import { errorsAndLimits } from "./errors-and-limits.ts";
import { resources } from "./resources.ts";
import { selfHosting } from "./self-hosting.ts";
import { service } from "./service.ts";
import type { Requirement } from "./verifies.ts";

/** Every promise of the gateway, in the order of its documentation. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...service,
  ...resources,
  ...endpoints,
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
];
