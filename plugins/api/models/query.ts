import type { Static, TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { GatewayError } from "#contract";

/** A query by its schema; throws REQUEST_INVALID with the parameter's name. */
export function readQuery<Q extends TObject>(schema: Q, search: string): Static<Q> {
  const query: unknown = Value.Convert(schema, Object.fromEntries(new URLSearchParams(search)));
  const wrong = Value.Errors(schema, query).First();
  if (!wrong) return Value.Decode(schema, query);
  const param = wrong.path.slice(1);
  throw new GatewayError("REQUEST_INVALID", { what: `The query parameter ${param} is not valid: ${wrong.message}.` }, { param });
}
