import { Type } from "@sinclair/typebox";
import { DateTime, Guardrails, isoTime, OneOf, type RecordOf, resourceOf, shown, type Scopes, type Tenancy, Uuid } from "#contract";
import { refuseNamed } from "./in-use.ts";
import { checkMappings, judgeMappingsSaid } from "./mappings.ts";
import { judgeStored, judgeWhole, refuseIdle, storedChecks } from "./rules.ts";

interface RulePlace {
  readonly plane: "control" | "admin";
  readonly tag: string;
  readonly tenancy: Tenancy;
  readonly scopes: Scopes<typeof Guardrails.schema>;
}
const { id, slug, version_id } = Guardrails.schema.properties;

const guardrailsOf = (place: RulePlace) =>
  resourceOf(Guardrails, {
    ...place,
    noun: "guardrail",
    path: "/guardrails",
    param: "guardrailId",
    by: ["id", "slug"],
    absent: 403,
    shows: {
      mcp_server_mappings: shown(
        Type.Optional(Type.Array(Type.Unknown(), { description: "MCP servers it is attached to; there when the target is `mcp_tools`." })),
        ({ target }) => (target === "mcp_tools" ? [] : undefined),
        true,
      ),
    },
    store: { checks: storedChecks, secret_mappings: checkMappings },
    async judge({ actions }, input, before) {
      if (input.body.actions) refuseIdle(actions); // one that is there already is renamed all the same
      if (before === undefined) return judgeWhole(input.body);
      judgeMappingsSaid(before, input.body);
      if (input.body.checks === undefined && input.body.secret_mappings !== undefined) await judgeStored(before, input);
      return archives(before, input.body) ? refuseNamed("archived")(before, input) : undefined;
    },
    list: {
      query: {
        ids: Type.Optional(Type.String({ maxLength: 40_000, pattern: "^[0-9a-fA-F, -]*$", description: "Only these, comma-separated." })),
        target: Type.Optional(OneOf(["llm", "mcp_tools"], { description: "Only of this target; both when left out." })),
      },
      where: ({ query: { ids, target } }) => ({
        ...(ids !== undefined && { id: ids.split(",").map((id) => id.trim()) }),
        ...(target !== undefined && { target }),
      }),
      envelope: "data",
    },
    create: {
      examples: {
        "Refuses what looks like a social security number": {
          name: "No social security numbers",
          checks: [{ id: "default.regexMatch", parameters: { rule: "\\b\\d{3}-\\d{2}-\\d{4}\\b", not: true } }],
          actions: { deny: true, on_success: { feedback: {} }, on_fail: { feedback: {} } },
        },
      },
      answer: {
        schema: Type.Object({ id, slug, version_id, created_at: DateTime("When it was made."), created_by: Uuid("Who made it.") }),
        of: ({ id, slug, version_id, created_at, owner_id }) => ({
          id,
          slug,
          version_id,
          created_at: isoTime(created_at),
          created_by: owner_id,
        }),
      },
    },
    update: {
      description:
        "Makes a new version. The target cannot be changed. One that a config, a key or a default names cannot be archived (409); what is archived never runs, and stays listed.",
      change: (_, { actor }) => ({ version_id: crypto.randomUUID(), updated_by: actor }),
      answer: ["id", "slug", "version_id"],
    },
    remove: { before: refuseNamed("deleted"), description: "Refused (409) while a config, a key or a default names it." },
  });

const archives = ({ status: before }: RecordOf<typeof Guardrails>, { status }: { readonly status?: string }): boolean =>
  status === "archived" && before !== "archived";

/** Guardrails of a workspace; an organisation key that names no workspace makes the organisation's. */
export const guardrails = guardrailsOf({
  plane: "control",
  tag: "Guardrails",
  tenancy: "either",
  scopes: { families: ["guardrails"], of: (record) => (record.workspace_id === null ? "organisation_guardrails" : "guardrails") },
});

/** The organisation's own guardrails: same shapes, on the admin plane. */
export const organisationGuardrails = guardrailsOf({
  plane: "admin",
  tag: "Org Guardrails",
  tenancy: "organisation",
  scopes: { families: ["organisation_guardrails"] },
});
