import { type HeaderClasses, type HeaderRecord, headerList } from "#contract";
import { headerWithoutSecrets, type Secrets } from "../../kernel/secrets/redaction.ts";

/** Headers of a provider's answer, beside those their class keeps back, that speak of its connection, its site or its server. */
const DROPPED: ReadonlySet<string> = new Set([
  "content-encoding",
  "clear-site-data",
  "refresh",
  "www-authenticate",
  "server",
  "via",
  "alt-svc",
  "strict-transport-security",
  "date",
  "nel",
  "report-to",
  "x-powered-by",
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "access-control-expose-headers",
  "access-control-allow-headers",
  "access-control-allow-methods",
]);

/** A fresh copy without what must not pass, the credentials it was sent among it, and without what it meant for its connection alone. */
export function passedHeaders(from: Headers, classes: HeaderClasses, secrets: Secrets): HeaderRecord {
  const passing: PassedHeaders = { classes, secrets, headers: {} };
  from.forEach(pass, passing);
  const connection = from.get("connection");
  if (connection !== null) for (const name of headerList(connection.toLowerCase())) delete passing.headers[name];
  return passing.headers;
}

interface PassedHeaders {
  readonly classes: HeaderClasses;
  readonly secrets: Secrets;
  readonly headers: HeaderRecord;
}
function pass(this: PassedHeaders, value: string, name: string): void {
  if (DROPPED.has(name) || !this.classes.of(name).returned) return;
  const safe = headerWithoutSecrets(name, value, this.secrets);
  if (safe !== null) this.headers[name] = safe;
}
