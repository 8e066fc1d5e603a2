import { type GatewayError, messageOf } from "#contract";
import type { Isolation } from "../compute/isolated/isolation.ts";
import { registry } from "../generated/registry.ts";
import { deploymentOf } from "../kernel/discovery/deployment.ts";
import type { Generation } from "../kernel/generation.ts";
import { bootErrors } from "../kernel/building.ts";
import { loadPlugin } from "../kernel/load.ts";
import { GATEWAY_ITSELF } from "../kernel/records/open-stores.ts";
import { judgePlaces } from "../kernel/settings/places.ts";
import { type Profile, readProfile } from "../kernel/settings/profile.ts";
import type { Settings } from "../kernel/settings/settings.ts";
import { secretsNotSet } from "../kernel/secrets/missing-secrets.ts";
import { type DeployedPlugin, isEnabled, STEP_LIMITS } from "../kernel/life.ts";
import { judgeVariables } from "../kernel/settings/variables.ts";
import { judgeRecords } from "./check-records.ts";
import { readOptions } from "./options.ts";
import { isolationFor } from "./runtime.ts";
import { SERVER_VARIABLES, withEmptyStore } from "./with-empty-store.ts";

/** `gateway check`: everything that can be judged before a start; then saved records, where there are any. */
export async function check(args: readonly string[]): Promise<number> {
  const { settings } = readOptions("check", args);
  const profile = await readProfile(settings.profile, settings.env);
  const { plugins, unreadable } = await deploymentOf(profile, registry, settings.env);
  const { errors, unread } = await judgeVariables(plugins, profile, settings.env);
  const enabled = plugins.filter(isEnabled);
  const reported = new Set(errors.map(({ details }) => details["name"])); // several plugins may read one variable
  const isolation = isolationFor(settings);
  const found = new Set([
    ...(await placesWrong(settings)),
    ...errors.map(({ message }) => message),
    ...unreadable.map(({ error }) => error.message),
    ...(await Promise.all(enabled.map((deployed) => judge(deployed, plugins, { profile, isolation, reported })))).flat(),
  ]);
  const start = found.size === 0 ? await judgeStart(settings) : NOT_STARTED;
  for (const problem of start.problems) found.add(problem);
  for (const problem of found) console.error(problem);
  const saved = await judgeRecords(settings);
  const warnings = [...unread.map(({ variable, why }) => `${variable} is set, but ${why}.`), ...saved.idle];
  for (const warning of warnings) console.error(`Warning: ${warning}`);
  const unjudged = [...start.unjudged, ...saved.unjudged];
  const tell = found.size === 0 ? console.error : console.log; // beside problems, standard error holds those alone
  for (const sentence of unjudged) tell(`Not judged: ${sentence}`);
  for (const deployed of enabled)
    for (const missing of secretsNotSet(deployed, plugins, profile, settings.env)) console.log(`Missing: ${deployed.name}: ${missing}`);
  const counts = { problems: found.size, warnings: warnings.length, unjudged: unjudged.length };
  console.log(`Profile ${profile.file}: ${enabled.length} of ${plugins.length} plugins enabled, ${verdictOf(counts)}.`);
  return found.size === 0 ? 0 : 1;
}

interface Counts {
  readonly problems: number;
  readonly warnings: number;
  readonly unjudged: number;
}
/** What was not judged may be wrong: nothing is said of it. */
function verdictOf({ problems, warnings, unjudged }: Counts): string {
  const ofJudged = unjudged > 0 ? "nothing wrong in what was judged" : "nothing wrong";
  return [
    problems === 0 ? ofJudged : counted(problems, "problem"),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
    ...(unjudged > 0 ? [`${unjudged} not judged`] : []),
  ].join(", ");
}
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const placesWrong = (settings: Settings): Promise<string[]> =>
  judgePlaces(settings).then(
    () => [],
    (error: unknown) => bootErrors(error).map(({ message }) => message),
  );

/** What only setting the plugins up shows. */
interface StartJudged {
  readonly problems: readonly string[];
  /** Why the plugins could not be set up here, though the deployment's own storage may be in order. */
  readonly unjudged: readonly string[];
}
const NOT_STARTED: StartJudged = { problems: [], unjudged: ["no plugin was set up, because of the problems above."] };

/** The plugins are set up over an empty database: what fails but the storage would fail at a start. */
async function judgeStart(settings: Settings): Promise<StartJudged> {
  try {
    return { problems: await withEmptyStore(settings, problemsIn), unjudged: [] };
  } catch (thrown) {
    const errors = bootErrors(thrown);
    if (errors.length === 0) return { problems: [messageOf(thrown)], unjudged: [] };
    const isUnjudged = (error: GatewayError): boolean => isOfStorage(error, settings);
    return {
      problems: errors.filter((error) => !isUnjudged(error)).map(({ message }) => message),
      unjudged: errors.filter(isUnjudged).map(({ message }) => `the storage and the set-up of all plugins: ${message}`),
    };
  }
}

const problemsIn = ({ plugins, policies }: Generation): readonly string[] => [
  ...plugins.flatMap(({ state, why }) => (state === "failed" && why !== null ? [why] : [])),
  ...(policies.some(({ provides }) => provides.identify) ? [] : [NOBODY_IDENTIFIED]),
];

/** Is it about the empty database? A deployment without any storage is told so, unless a server is its storage. */
function isOfStorage({ code, details }: GatewayError, { env }: Settings): boolean {
  if (code === "PLUGIN_REQUIRES") return details["plugin"] === GATEWAY_ITSELF && SERVER_VARIABLES.some((name) => (env[name] ?? "") !== "");
  return STORAGE_CODES.has(code) || String(details["plugin"]).startsWith("storage/");
}
const STORAGE_CODES: ReadonlySet<string> = new Set(["STORAGE_UNUSABLE", "STORAGE_UNAVAILABLE", "MIGRATION_REFUSED"]);

const NOBODY_IDENTIFIED =
  "No enabled policy tells who asks, so that every request would be refused: enable policy/api-key, or another policy that identifies.";

interface Judging {
  /** Where isolated packs are loaded. */
  readonly isolation: Isolation;
  readonly profile: Profile;
  /** Names of variables whose faults are told already. */
  readonly reported: ReadonlySet<unknown>;
}
async function judge(
  deployed: DeployedPlugin,
  all: readonly DeployedPlugin[],
  { profile, isolation, reported }: Judging,
): Promise<string[]> {
  const unmet = (deployed.manifest.requires ?? []).filter((name) => !all.some((other) => other.name === name && isEnabled(other)));
  const wants = unmet.map((name) => `The plugin ${deployed.name} requires ${name}, which is not enabled.`);
  try {
    await loadPlugin(deployed, { profile, all, limits: STEP_LIMITS, isolation });
    return wants;
  } catch (error) {
    const fresh = bootErrors(error).filter(({ details }) => details["name"] === undefined || !reported.has(details["name"]));
    return [...wants, ...fresh.map(({ message }) => message)];
  }
}
