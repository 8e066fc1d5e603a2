import type { Json, Route } from "#contract";
import { hasNoState } from "../admin/etag.ts";
import { IDEMPOTENCY_HEADER, takesIdempotencyKey } from "../admin/idempotency.ts";

/* What the document says of the headers that a route's writes and reads depend on (`core/admin/etag.ts`, `idempotency.ts`). */

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
  example,
});
const TAG = '"Nw1xQ3b0rYb5m2kqkWc1Fg.0Jv8zq4m3Tn2tKQW9cU5Xw"';

/** Once for all operations, by the name of their component. */
export const CONDITION_PARAMETERS = {
  [IDEMPOTENCY_HEADER]: header(
    IDEMPOTENCY_HEADER,
    "A name that the client makes up for this request, such as a UUID: sent again within a day, with the same key and body, it is answered again and not carried out again.",
    "8e03978e-40d5-43dd-bc93-6894a57f9324",
  ),
  "if-none-match": header("if-none-match", "ETag of an earlier answer: 304 while it holds.", TAG),
  "if-match": header(
    "if-match",
    "ETag of the answer to the read of the record that the write is made from: 412 when it was changed since. Writes that do not name this header refuse it with 400.",
    TAG,
  ),
} as const;
const refTo = (name: keyof typeof CONDITION_PARAMETERS): Json => ({ $ref: `#/components/parameters/${name}` });

const PARAMETER_OF = { read: "if-none-match", write: "if-match" } as const;
export const conditionParameters = (route: Route): readonly Json[] => [
  ...(route.conditional ? [refTo(PARAMETER_OF[route.conditional])] : []),
  ...(takesIdempotencyKey(route) ? [refTo(IDEMPOTENCY_HEADER)] : []),
];

/** Errors beside its own. */
export const conditionErrors = (route: Route): readonly number[] => [
  ...(takesIdempotencyKey(route) ? [409, 422] : []),
  ...(hasNoState(route) ? [400] : []),
];

const ETAG = { etag: { description: "Strong, and another after each write.", schema: { type: "string" } } };
const REPLAYED = { "idempotency-replayed": { description: "`true` on the answer of an earlier request.", schema: { type: "string" } } };
/** Members of the description of a good answer. */
export const answerHeaders = (route: Route): Json => ({
  ...(route.conditional === "read" && { headers: ETAG }),
  ...(takesIdempotencyKey(route) && { headers: REPLAYED }),
});
export const notModified = ({ conditional }: Route): Json =>
  conditional === "read" ? { 304: { description: "It is what `if-none-match` names.", headers: ETAG } } : {};
