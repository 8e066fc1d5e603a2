import { section } from "./row.ts";

export const audit = section("Audit log", [
  [
    "AUD.entry",
    "Every write of the control and admin planes leaves an entry: who, what, before and after of what changed, with secrets masked.",
  ],
  ["AUD.together", "An entry is committed in the transaction of the write it tells of; a write that is refused leaves none."],
  ["AUD.stamps", "A write that changes nothing but the moment of a record, as If-Match claims it by, leaves no entry of its own."],
  ["AUD.routes", "Every route of the control and admin planes that is no GET leaves an entry, or says that it changes nothing."],
  ["AUD.reveal", "Reading the secret of a key or a mail leaves an entry, with `action: reveal`."],
  ["AUD.replay", "An answer that is given again for its Idempotency-Key leaves no entry: nothing was done."],
  [
    "AUD.signIn",
    "Whoever accepts an invite is named by the entries of it: `sign_in` of the invite, `create` of what was made. So is the command line.",
  ],
  [
    "AUD.refusals",
    "Refusals (401, 403) are short entries, 100 a minute and key at most, 10 of unknown keys; one entry says how many more there were.",
  ],
  ["AUD.chain", "The entries of an organisation are one chain of hashes, whoever writes them; `gateway audit verify` checks it."],
  ["AUD.tampered", "`gateway audit verify` names the first entry that was changed or removed, and exits with 1."],
  ["AUD.retention", "Entries older than AUDIT_LOG_RETENTION_DAYS (365) are removed, and the chain goes on from a kept anchor."],
  ["AUD.append", "Entries can be read, and neither changed nor deleted: no route does, and no plugin's handle can."],
  ["AUD.read", "GET /v2/audit-logs lists entries in the documented shape, the newest first, by fourteen filters and pages."],
  ["AUD.tenants", "The audit log is the organisation's: a workspace key and another organisation are refused."],
  ["AUD.off", "AUDIT_LOGS_ENABLED=OFF writes no entries and takes the route away."],
  ["AUD.changes", "Exporters that take `changes` get each entry once it is committed, in order, and again after a failure."],
]);
