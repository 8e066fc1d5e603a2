import type { TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  GatewayError,
  isBound,
  isSealed,
  type Json,
  knownNames,
  maskSecret,
  openSecrets,
  type RecordOf,
  refuseMovedInRecord,
  type RuleInput,
  sealSecrets,
  type SecretReferences,
  type Written,
} from "#contract";

type Input = RuleInput<Written<(typeof SecretReferences)["fields"]>>;
const MASKED = "masked_";

/** How to sign in, as it is stored: merged into what was there, judged by the manager's own schemas, its secrets sealed and going where they went. */
export function storedSignIn(given: Json, input: Input, record: RecordOf<typeof SecretReferences> | undefined): Json {
  const { catalog, vault, judgeUrl } = input;
  const ways = waysOf(record?.manager_type ?? input.body.manager_type ?? "", catalog.secretManagers());
  const before = record?.auth_config ?? {};
  const said = Object.entries(given).filter(([member]) => !member.startsWith(MASKED)); // what a read showed comes back with the rest
  const merged = Object.entries({ ...before, ...Object.fromEntries(said) }).filter(([, value]) => value !== null);
  const plain = openSecrets(Object.fromEntries(merged), vault);
  const way = judged(plain, ways);
  for (const [member, of] of Object.entries(way.properties)) if (of["format"] === "uri" && member in plain) judgeUrl(String(plain[member]));
  const isSecret = (member: string): boolean => way.properties[member]?.["secret"] === true;
  const kept = Object.fromEntries(merged.filter(([, value]) => isSealed(value)));
  const next = { ...sealSecrets(Object.fromEntries(merged.filter(([, value]) => !isSealed(value))), isSecret, vault), ...kept };
  const bound = ways.flatMap(({ properties }) =>
    Object.keys(properties).filter((member) => properties[member] && isBound(properties[member])),
  );
  refuseMovedInRecord({ before, next, bound: [...new Set(bound)] });
  return next;
}

/** Secret members under a name that says that they are masked. */
export const maskedSignIn = (stored: Json, vault: RuleInput["vault"]): Json =>
  Object.fromEntries(
    Object.entries(stored).map(([member, value]) =>
      isSealed(value) ? [MASKED + member, maskSecret(vault.open(value.sealed))] : [member, value],
    ),
  );

function waysOf(manager: string, managers: ReadonlyMap<string, readonly TObject[]>): readonly TObject[] {
  const ways = managers.get(manager);
  if (ways) return ways;
  const known = knownNames("Running managers", manager, [...managers.keys()]);
  throw new GatewayError("REQUEST_INVALID", { what: `No running plugin is the manager ${manager}. ${known}` }, { param: "manager_type" });
}

/** The way that fits; where none does, the first whose fixed members fit says what is wrong. */
function judged(plain: Json, ways: readonly TObject[]): TObject {
  const fit = ways.find((way) => Value.Check(way, plain));
  if (fit) return fit;
  const fixed = ways.flatMap(({ properties }) => Object.keys(properties).filter((member) => properties[member]?.["const"] !== undefined));
  const meant = ways.find(({ properties }) => fixed.some((member) => properties[member] && properties[member]["const"] === plain[member]));
  const problem = meant && Value.Errors(meant, plain).First();
  const member = problem ? problem.path.slice(1).split("/")[0] : fixed[0];
  const words = ways.flatMap(({ properties }) => fixed.flatMap((name) => properties[name]?.["const"] ?? []));
  const why = problem ? `${member}: ${problem.message.toLowerCase()}` : `${member} must be one of ${[...new Set(words)].join(", ")}`;
  throw new GatewayError("REQUEST_INVALID", { what: `The auth_config is not valid: ${why}.` }, { param: `auth_config.${member}` });
}
