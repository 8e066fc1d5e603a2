import { type Call, type Caller, type GatewayError, wholePath } from "#contract";
import { askedBy } from "../../kernel/audit/asked-by.ts";
import { type Audit, whoIs } from "../../kernel/audit/audit.ts";
import { isHeld } from "../../kernel/audit/refusals.ts";
import { callerKey, type KeyHeaders } from "../../kernel/secrets/caller-key.ts";

/** A request of the data plane that was refused for who asks; nobody waits for its entry. */
export function noteRefusal(
  error: GatewayError,
  { call, caller }: { readonly call: Call; readonly caller: Caller | null },
  { audit, keyHeaders }: { readonly audit: Audit | undefined; readonly keyHeaders: KeyHeaders },
): void {
  const { status } = error;
  if (!audit || (status !== 401 && status !== 403) || (!caller && !isHeld(error))) return; // whose log would it be in?
  const { method, row, path, search, headers, traceId: requestId, control } = call;
  const request = askedBy({ method, path: wholePath(row, path), search, headers, requestId, address: null });
  const key = callerKey(headers, control.apiKey, keyHeaders) || undefined;
  void audit.refused({ caller: caller && whoIs(caller), key, request, status, isHeld: true });
}
