import { createHash } from "node:crypto";
import type { AuditEntry } from "./schema/audit.ts";

/* How the entries of an organisation's audit log hold on to each other. */

/** An entry's hash: SHA-256 over its JSON with the members in order, the hash of the entry before it among them. */
export const auditHash = ({ hash: _, ...entry }: Omit<AuditEntry, "hash"> & { readonly hash?: string }): string =>
  createHash("sha256").update(canonical(entry)).digest("hex");

/** JSON whose members are in the order of their names, however a database gave them back. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
