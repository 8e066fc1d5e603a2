import { Type } from "@sinclair/typebox";
import { ApiKeys, type Joins, organisationGuardrails, Organisations } from "#contract";
import { refuseOthersKey } from "./owner.ts";

const Excluded = (which: string) =>
  Type.Boolean({ description: `Is its workspace excluded from the organisation's guardrails on ${which}?` });

/** Details of a key, for those who may see it: from which guardrails of the organisation requests of a key are free, because its workspace is. */
export const exclusions: Joins = {
  schema: {
    workspace_guardrail_exclusions: Type.Object(
      { input_guardrails: Excluded("requests"), output_guardrails: Excluded("answers") },
      { description: "Exclusions of the key's workspace." },
    ),
  },
  async of(records, { records: all, organisationId, caller }) {
    const { excluded } = organisationGuardrails((await all.in(Organisations).get(organisationId))?.settings ?? {});
    const keys = await Promise.all(records.map(({ id }) => all.in(ApiKeys).get(id)));
    for (const key of keys) if (key) refuseOthersKey(key, { caller }, "read");
    return keys.map((key) => {
      const isIn = (list: readonly string[]): boolean => list.includes(key?.workspace_id ?? "");
      return { workspace_guardrail_exclusions: { input_guardrails: isIn(excluded.input), output_guardrails: isIn(excluded.output) } };
    });
  },
};
