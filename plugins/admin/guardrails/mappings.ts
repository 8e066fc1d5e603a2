import {
  GatewayError,
  type GuardrailCheck,
  type Guardrails,
  type MappedSecret,
  type MappableFields,
  type RecordOf,
  type RuleInput,
  fieldMeant,
  storedMappings,
  type Written,
} from "#contract";

type Guardrail = RecordOf<typeof Guardrails>;
type Body = Written<(typeof Guardrails)["fields"]>;
type Input = RuleInput<Body>;

/** Parameters of checks that are kept elsewhere, as they are stored: only those that a check's own schema calls secret. */
export const checkMappings = (
  given: readonly MappedSecret[] | null,
  input: Input,
  record: Guardrail | undefined,
): Promise<MappedSecret[] | null> => storedMappings(given, mappableIn(input.body.checks ?? record?.checks ?? [], input), input);

/** Which check a mapping means is said by its place: with other checks, the mappings are said again. */
export function judgeMappingsSaid({ secret_mappings: before }: Guardrail, { checks, secret_mappings: said }: Body): void {
  if (checks === undefined || said !== undefined || before === null || before.length === 0) return;
  const what =
    "The checks have secret mappings, which say by number which check they mean: give secret_mappings, or null, with the checks.";
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "secret_mappings" });
}

/** The parameters of one check that are kept elsewhere. */
export function mappedParameters(
  checks: readonly GuardrailCheck[],
  at: number,
  { body, catalog }: Pick<Input, "body" | "catalog">,
): ReadonlySet<string> {
  const { fields } = mappableIn(checks, { catalog });
  const inside = insideOf(at);
  const meant = (body.secret_mappings ?? []).map(({ target_field: field }) => fieldMeant(field, fields) ?? "");
  return new Set(meant.filter((field) => field.startsWith(inside)).map((field) => field.slice(inside.length)));
}

const insideOf = (at: number): string => `checks[${at}].parameters.`;
const mappableIn = (checks: readonly GuardrailCheck[], { catalog }: Pick<Input, "catalog">): MappableFields => ({
  fields: checks.flatMap(({ id }, at) => (catalog.check(id)?.secrets ?? []).map((member) => insideOf(at) + member)),
  of: "the guardrail",
});
