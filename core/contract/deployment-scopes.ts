import { GatewayError } from "./errors.ts";
import type { Caller } from "./request.ts";
import { FIRST_ORGANISATION_ID } from "./schema/workspace.ts";

/** What these open belongs to all organisations of a deployment together: only its first one, the operator's, may. */
export const DEPLOYMENT_SCOPES: readonly string[] = ["generations.list", "generations.update"];

/** Throws where the scope reaches the whole deployment and the caller is of a further organisation, whatever its key says. */
export function refuseDeploymentScope({ organisationId }: Pick<Caller, "organisationId">, scope: string, param?: string): void {
  if (organisationId === FIRST_ORGANISATION_ID || !DEPLOYMENT_SCOPES.includes(scope)) return;
  throw new GatewayError("SCOPE_OF_OPERATOR", { scope }, param === undefined ? {} : { param });
}
