import { refuseNoData } from "./data-there.ts";
import { readWords, settingsFor } from "./options.ts";
import { CommandFailed, UsageError } from "./usage.ts";
import { verifyAudit } from "./verify-audit.ts";
import { withGeneration } from "./with-generation.ts";

/** `gateway audit verify`: beside a running deployment. */
export async function audit(args: readonly string[]): Promise<number> {
  const { values, words } = readWords("audit", args);
  if (words.length !== 1 || words[0] !== "verify")
    throw new UsageError("gateway audit knows one thing to do: gateway audit verify", "audit");
  const only = values.organisation?.at(-1);
  const settings = settingsFor(values);
  refuseNoData(settings);
  return withGeneration(settings, { keepsTables: true }, async ({ stores }) => {
    let logs = 0;
    const broken: string[] = [];
    for await (const log of verifyAudit(stores.records, only === true ? undefined : only, (line) => console.error(line))) {
      logs += 1;
      console.log(`${log.organisation}  ${log.broken === undefined ? `whole, ${log.entries} entries` : `BROKEN at ${log.broken}`}`);
      if (log.broken !== undefined) broken.push(log.organisation);
    }
    if (only !== undefined && logs === 0) throw new CommandFailed(`There is no audit log of an organisation ${String(only)}.`);
    if (broken.length > 0) throw new CommandFailed(`The audit log is not as it was written: ${broken.join(", ")}.`);
    console.log(`${logs} audit ${logs === 1 ? "log" : "logs"} looked at: each is whole.`);
    return 0;
  });
}
