import { type Call, GatewayError, type Json, type OwnedIds } from "#contract";
import type { Resolved } from "../plan/targets.ts";

/** A request as its target would get it. */
export interface Naming {
  readonly call: Call;
  readonly to: Resolved;
  /** Its JSON in the client's own form, as overrides and guardrails left it. */
  readonly body: Json | null;
}

/** More than any API takes in one request; each is asked for. */
export const MOST = 1_000;
export const tooMany = (): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The request names more than ${MOST} different ids.` });
/** Longer than any provider's. */
const LONGEST = 1_024;
const NONE: readonly string[] = [];

/** The ids that a request names, each once: in its path and in its body. */
export function namedIds({ params, named, path }: OwnedIds, { call, to, body }: Naming): readonly string[] {
  const inBody = body === null ? NONE : (named?.(body) ?? NONE);
  const inSteps = path?.(call.path, call.search) ?? NONE;
  if (params === undefined && inBody.length + inSteps.length === 0) return NONE;
  const inPath = (params ?? NONE).flatMap((name) => withoutSlug(call.params[name] ?? "", to));
  const ids = new Set([...inPath, ...inSteps, ...inBody]);
  if (ids.size > MOST) throw tooMany();
  for (const id of ids)
    if (id.length > LONGEST) throw new GatewayError("REQUEST_INVALID", { what: `An id has at most ${LONGEST} characters.` });
  return [...ids];
}

/** A saved provider may stand before an id, as before a model's name. */
const withoutSlug = (id: string, { slug }: Resolved): string =>
  slug !== null && id.startsWith(`${slug}/`) ? id.slice(slug.length + 1) : id;
