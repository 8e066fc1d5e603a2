import { after, GatewayError, isJson, type MappedSecret, type MaybePromise, type TenantIds, tenantOf } from "#contract";
import type { LoadedCheck } from "../../../kernel/generation.ts";
import { type MappedValue, mappedValues } from "../../../kernel/secrets/mapped.ts";
import type { ReadReference } from "../../../kernel/secrets/references.ts";
import type { BoundCheck } from "./active.ts";

/** A check of which parameters are kept in managers of secrets. */
export interface MappedCheck {
  readonly loaded: LoadedCheck;
  readonly bound: BoundCheck;
  /** By the parameters' own names. */
  readonly mappings: readonly MappedSecret[];
}

/** The check with all its parameters, judged when one of them has changed. At once where all have been read before. */
export function wholeCheck({ loaded, bound, mappings }: MappedCheck, read: ReadReference): (tenant: TenantIds) => MaybePromise<BoundCheck> {
  let last: { readonly values: readonly MappedValue[]; readonly check: BoundCheck } | undefined;
  return (tenant) =>
    after(mappedValues(mappings, tenant, read), (values) => {
      if (last && isSame(last.values, values)) return last.check;
      const params = { ...(isJson(bound.params) ? bound.params : {}), ...Object.fromEntries(values) };
      return after(loaded.problems(params, tenantOf(tenant)), (problems) => {
        if (problems.length > 0) throw unfit(mappings);
        last = { values, check: { ...bound, params } };
        return last.check;
      });
    });
}

const isSame = (before: readonly MappedValue[], values: readonly MappedValue[]): boolean =>
  values.every(([, value], at) => before[at]?.[1] === value);

/** What is wrong with it would repeat parts of it. */
const unfit = (mappings: readonly MappedSecret[]): GatewayError =>
  new GatewayError("SECRET_ABSENT", {
    reference: mappings.map(({ secret_reference_id: id }) => id).join(", "),
    why: `what is kept there does not fit the parameter ${mappings.map(({ target_field: field }) => field).join(", ")}`,
  });
