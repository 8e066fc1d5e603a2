import { GatewayError, Integrations, type RecordOf, type RuleInput } from "#contract";

type Integration = RecordOf<typeof Integrations>;
/** Somebody else may write it meanwhile: what they wrote is kept. */
const TRIES = 5;

/** Changes an integration by what it is at that moment: `change` is called again where somebody else wrote it meanwhile. */
export async function changeIntegration(
  id: string,
  { records, now }: Pick<RuleInput, "records" | "now">,
  change: (current: Integration) => Partial<Integration> | Promise<Partial<Integration>>,
): Promise<void> {
  const integrations = records.in(Integrations);
  for (let tried = 0; tried < TRIES; tried += 1) {
    const current = await integrations.get(id);
    if (!current) throw new GatewayError("NOT_FOUND", { what: "integration of that name" });
    const last_updated_at = Math.max(now, current.last_updated_at + 1);
    const expected = { last_updated_at: current.last_updated_at };
    if (await integrations.update(id, { ...(await change(current)), last_updated_at }, expected)) return;
  }
  throw new GatewayError("CHANGED_MEANWHILE", { what: "The integration" });
}
