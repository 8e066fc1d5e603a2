import type { HeaderClasses, HeaderRecord, Target } from "#contract";
import { longestFirst, MIN_LENGTH, type Secrets } from "../../kernel/secrets/redaction.ts";
import type { Resolved } from "../plan/targets.ts";
import { secretFieldsOf } from "../plan/target-schema.ts";

/*
 * The credentials that went out with a request, and what keeps them out of what is told of its answer: a provider may
 * repeat what it was sent, and a saved credential is neither the client's to see nor a log's to keep.
 */

const NONE: Secrets = [];
/** Written alike in a text, in JSON and in a header. */
const PLAIN = /^[\w.~+-]*$/;

/** The target's own, and what its provider has signed the request with. */
export function secretsSent({ provider, target }: Resolved, headers: HeaderRecord, classes: HeaderClasses): Secrets {
  const own = secretsOf({ provider, target });
  return provider.sign ? longestFirst([...own, ...credentialsIn(headers, classes)]) : own;
}

/** A target's key, its secret fields and the headers that were saved with it. */
export function secretsOf({ provider, target }: Pick<Resolved, "provider" | "target">): Secrets {
  const fields = secretFieldsOf(provider.target);
  const { apiKey, headers } = target;
  if (fields.length > 0 || headers || !PLAIN.test(apiKey))
    return longestFirst([...valuesOf(fields, target), ...formsOf(apiKey), ...savedHeaders(headers ?? {})]);
  return apiKey === "" ? NONE : [apiKey];
}

const valuesOf = (names: readonly string[], { fields }: Target): readonly string[] =>
  names.flatMap((name) => formsOf(textOf(fields[name])).filter(({ length }) => length >= MIN_LENGTH));

/** Whoever saved them may have had them hold a key. */
const savedHeaders = (headers: NonNullable<Target["headers"]>): readonly string[] =>
  Object.values(headers).flatMap((value) => formsOf(textOf(value)).filter(({ length }) => length >= MIN_LENGTH));

function credentialsIn(headers: HeaderRecord, classes: HeaderClasses): readonly string[] {
  const names = Object.keys(headers).filter((name) => classes.of(name).class === "credential");
  return names.flatMap((name) => formsOf(textOf(headers[name])).filter(({ length }) => length >= MIN_LENGTH));
}

/** A token may be given with its scheme, and repeated without. */
const textOf = (secret: unknown): string =>
  typeof secret === "string" ? secret.replace(/^bearer +/i, "") : (JSON.stringify(secret) ?? "");

/** As it is, as JSON holds it, and as those write it who escape slashes. */
function formsOf(secret: string): readonly string[] {
  if (PLAIN.test(secret)) return secret === "" ? NONE : [secret];
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, inJson.replaceAll("/", "\\/")];
}
