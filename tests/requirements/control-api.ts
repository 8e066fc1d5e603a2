import { section } from "./row.ts";

/** What clients of the control and admin planes count on beside the resources themselves. */
export const controlApi = section("Control plane as an API", [
  ["W.etag", "A read of one record answers a strong ETag, another after each write, and 304 to who has it."],
  ["W.if-match", "A write with If-Match is made over what its client has read, and over nothing else: 412 otherwise, also of two at once."],
  ["W.if-match-refused", "A write that can make no comparison refuses If-Match, and does nothing."],
  ["W.without", "Writes without If-Match that come together are all made, none of them lost."],
  ["W.idempotency", "A POST that is sent again with its Idempotency-Key is answered again, secrets shown once too, and not done again."],
  ["W.idempotency-other", "An Idempotency-Key that comes with another request is refused, and is nobody else's."],
  ["W.idempotency-together", "Of two requests with one Idempotency-Key at once, by two processes too, one is carried out."],
  ["W.idempotency-failed", "A request that was refused is not remembered: it may be mended and sent with the same key."],
  [
    "W.idempotency-kept",
    "What was done is answered as done where it cannot be remembered, and the refusal of a repetition says why truly.",
  ],
  ["W.idempotency-share", "A refused request counts for nothing, and one API key has a share of its organisation's Idempotency-Keys."],
  ["W.idempotency-sealed", "What is remembered of an answer is sealed, and bounded for each organisation."],
  ["D.linter", "The API document has no error under a public linter."],
  [
    "D.rows",
    "Every operation of the API document has its heading, keys, schemas of bodies, answers and errors, and examples that they accept.",
  ],
  ["D.client", "A client that is generated from the API document type-checks and works."],
  ["N.many", "With 100,000 keys, 10,000 configs and 1,000 workspaces in the embedded storage, p99 of a read and of a list is under 20 ms."],
]);
