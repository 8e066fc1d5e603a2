import { AsyncLocalStorage } from "node:async_hooks";
import type { AuditEntry } from "#contract";

/** Who does something. */
export type Actor = Pick<AuditEntry, "actor_type" | "actor_id" | "actor_name" | "actor_role">;
/** The request that asks for it. */
export type AskedBy = Pick<
  AuditEntry,
  "method" | "uri" | "query_params" | "request_id" | "request_headers" | "client_ip" | "user_agent" | "country"
>;
export interface Acting {
  /** Of a public route, who that is may be found out on the way. */
  actor: Actor;
  readonly request: AskedBy | null;
  /** What its route calls the changes it makes; what it makes anew or removes is called so all the same. */
  readonly action?: string | undefined;
  /** Entries that were made for it. */
  entries: number;
}

export const NO_REQUEST: AskedBy = {
  ...{ method: null, uri: null, query_params: null, request_id: null },
  ...{ request_headers: null, client_ip: null, user_agent: null, country: null },
};

/** Writes know whose they are by where they are made, not by being told: so no route, rule or job can forget to say it. */
const current = new AsyncLocalStorage<Acting>();

/** Whatever is written within is this actor's. */
export const acting = <R>(by: Acting, work: () => R): R => current.run(by, work);

/** What a request or a command has set off and does not wait for is the gateway's own doing. */
export const actingForNobody = <R>(work: () => R): R => current.exit(work);

/** Who acts here; the gateway itself, by the name of the part that writes, where no request or command is behind it. */
export const actingNow = (part: string): Acting =>
  current.getStore() ?? {
    actor: { actor_type: "system", actor_id: null, actor_name: part, actor_role: null },
    request: null,
    entries: 0,
  };

/** Of a command that is run beside the gateway. */
export const commandLine = (user: string): Acting => ({
  actor: { actor_type: "command_line", actor_id: null, actor_name: user, actor_role: null },
  request: null,
  entries: 0,
});
