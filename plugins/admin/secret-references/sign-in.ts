import type { TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  GatewayError,
  isBound,
  isSealed,
  type Json,
  knownNames,
  maskSecret,
  type MemberFlaw,
  memberFlaw,
  openSecrets,
  type RecordOf,
  refuseMovedInRecord,
  type RuleInput,
  sealSecrets,
  type SecretReferences,
  unknownMember,
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
  const [only, ...others] = ways;
  const meant = others.length === 0 ? only : ways.find((way) => fixedIn(way).some(([name, word]) => word === plain[name]));
  const { member, why } = (meant && memberFlaw(meant, plain)) ?? noWay(plain, ways);
  throw new GatewayError(
    "REQUEST_INVALID",
    { what: `The auth_config is not valid: ${member}: ${why}.` },
    { param: `auth_config.${member}` },
  );
}

/** The members that say which way it is, with their words. */
const fixedIn = ({ properties }: TObject): readonly (readonly [string, unknown])[] =>
  Object.entries(properties).flatMap(([name, of]) => (of["const"] === undefined ? [] : [[name, of["const"]] as const]));

/** A misspelt member says most; else the one that names the way is missing, or names none. */
function noWay(plain: Json, ways: readonly TObject[]): MemberFlaw {
  const known = [...new Set(ways.flatMap(({ properties }) => Object.keys(properties)))];
  const stray = Object.keys(plain).find((name) => !known.includes(name));
  if (stray !== undefined) return { member: stray, why: unknownMember(stray, known) };
  const fixed = ways.flatMap(fixedIn);
  const [first] = fixed;
  return { member: first?.[0] ?? "", why: `it must be one of ${[...new Set(fixed.map(([, word]) => String(word)))].join(", ")}` };
}
