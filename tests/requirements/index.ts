import { authentication } from "./authentication.ts";
import { dataPlaneKept } from "./data-plane-kept.ts";
import { endpoints } from "./endpoints.ts";
import { errorsAndLimits } from "./errors-and-limits.ts";
import { resources } from "./resources.ts";
import { selfHosting } from "./self-hosting.ts";
import { service } from "./service.ts";
import type { Requirement } from "./verifies.ts";

/** Every promise of specification.md, in its order. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...service,
  ...resources,
  ...endpoints,
  ...authentication,
  ...errorsAndLimits,
  ...selfHosting,
  ...dataPlaneKept,
];
