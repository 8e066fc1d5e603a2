import { refuseDeploymentScope } from "./deployment-scopes.ts";
import { GatewayError } from "./errors.ts";
import { nearest } from "./nearest.ts";
import type { RuleInput } from "./resource.ts";
import { isScope, type KeyType, mayHold, normaliseScope, scopesOf } from "./schema/scope.ts";

/**
 * The scopes as the table spells them. Throws for a scope that does not exist, that a key of this type cannot hold,
 * or that the caller may hold but does not: nobody gives away more than they have.
 */
export function grantedScopes(
  given: readonly string[],
  type: KeyType,
  { caller, catalog }: Pick<RuleInput, "caller" | "catalog">,
  param = "scopes",
): string[] {
  const scopes = [...new Set(given.map(normaliseScope))];
  const table = catalog.scopes();
  for (const scope of scopes) {
    if (!isScope(scope, table)) throw invalid(`there is no scope ${scope}${meantBy(scope, scopesOf(type, table))}`, param);
    if (!mayHold(type, scope, table)) throw invalid(`a key of the type ${type} cannot hold ${scope}`, param);
    refuseDeploymentScope(caller, scope, param);
    // What a caller's level never holds (an organisation key calls no models) is its to give; what it could hold, it must.
    if (mayHold(caller.keyType, scope, table) && !caller.scopes.has(scope))
      throw new GatewayError("SCOPE_MISSING", { scope, action: "giving it to another key" }, { param });
  }
  return scopes;
}

function meantBy(scope: string, known: readonly string[]): string {
  const meant = nearest(scope, known);
  return meant === undefined ? "" : `; ${meant} was probably meant`;
}
const invalid = (why: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The scopes are not valid: ${why}.` }, { param });
