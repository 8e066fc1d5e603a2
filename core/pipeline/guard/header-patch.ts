import type { HeaderClasses, Patch, RequestHeaders } from "#contract";
import { PatchRefused } from "./patch.ts";
import type { Judged } from "./run.ts";

type HeaderPatch = Extract<Patch, { readonly header: string }>;
export const isOfHeader = (patch: Patch): patch is HeaderPatch => "header" in patch;

/** The request's headers after a check's patches; throws `PatchRefused` for a header that no check may write. */
export function patchedHeaders({ side, headers, headerClasses }: Judged, patches: readonly HeaderPatch[]): RequestHeaders {
  if (patches.length === 0) return headers;
  if (side !== "input") throw new PatchRefused("an answer is judged, whose request has gone");
  if (patches.length > MAX_WRITTEN) throw new PatchRefused(`more than ${MAX_WRITTEN} headers`);
  const written = new Map<string, string | null>();
  for (const { header, value } of patches) written.set(nameOf(header, headerClasses), writable(value, header));
  return new PatchedHeaders(headers, written);
}
const MAX_WRITTEN = 100;
const MAX_VALUE_CHARS = 8_192;

/** What makes a request is written by nobody else: checks have names of their own. */
const OWN_NAME = /^x-[a-z0-9_-]{1,120}$/;
function nameOf(header: unknown, classes: HeaderClasses): string {
  const name = String(header).toLowerCase();
  const { own, forwardedByChecks } = classes.of(name);
  if (OWN_NAME.test(name) && own === null && forwardedByChecks) return name;
  throw new PatchRefused(`a check may not write the header ${name.slice(0, 80)}`);
}

/** Printable characters of ASCII: whatever else a header could hold, it is read differently by different servers. */
const PLAIN = /^[\x20-\x7e]*$/;
function writable(value: unknown, header: string): string | null {
  if (value === null) return null;
  if (typeof value === "string" && value.length <= MAX_VALUE_CHARS && PLAIN.test(value)) return value.trim();
  throw new PatchRefused(`the value for the header ${header} must have at most ${MAX_VALUE_CHARS} printable ASCII characters`);
}

/** A request's headers without those that only checks write. */
export const withoutWritten = (headers: RequestHeaders, names: readonly string[]): RequestHeaders =>
  names.some((name) => headers.has(name)) ? new PatchedHeaders(headers, new Map(names.map((name) => [name.toLowerCase(), null]))) : headers;

/** A request's headers, with some that a check wrote or took away. */
class PatchedHeaders implements RequestHeaders {
  constructor(
    private readonly sent: RequestHeaders,
    private readonly written: ReadonlyMap<string, string | null>,
  ) {}
  get(name: string): string | null {
    const written = this.written.get(name.toLowerCase());
    return written === undefined ? this.sent.get(name) : written;
  }
  has(name: string): boolean {
    return this.get(name) !== null;
  }
  forEach<This>(visit: (this: This, value: string, name: string) => void, self?: This): void {
    const to = self as This; // as Headers calls it where none is given
    for (const [name, value] of this.written) if (value !== null) visit.call(to, value, name);
    this.sent.forEach((value, name) => {
      if (!this.written.has(name.toLowerCase())) visit.call(to, value, name);
    });
  }
}
