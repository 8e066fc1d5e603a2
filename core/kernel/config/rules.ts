import type { TObject } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { ConfigLevel, GatewayError, isJson, type Json } from "#contract";
import { type Claimants, type ConfigClaims, claimsOf } from "./claims.ts";
import { configSchema } from "./schema.ts";
import { type Finding, type Level, memberFindings, modeOf, targetsOf } from "./level.ts";
import { guardrailFindings, type KnownChecks } from "./guardrails.ts";
import { firstProblem } from "../../json/shape.ts";

/** How many targets a config may have. */
export interface TargetCaps {
  readonly root: number;
  readonly conditionalRoot: number;
  readonly nested: number;
  /** In the whole tree. */
  readonly total: number;
}
export const TARGET_CAPS: TargetCaps = { root: 100, conditionalRoot: 1_000, nested: 50, total: 2_000 };

/** What a config of this generation may be. */
export interface ConfigRules {
  /**
   * Throws unless the config is of the documented size and shape and its modes exist; `written`, also for a member that
   * nothing obeys. One `saved` before such members were refused goes on being served without them. `shape` stops before
   * members and modes, for who goes on to walk it and seal it.
   */
  judge(config: unknown, as: "written" | "saved" | "shape"): asserts config is Json;
  /** The members that nothing obeys, as sentences' ends, each with its place. */
  idle(config: Json): readonly Finding[];
  /** Members that plugins claim, by name. */
  readonly claims: ConfigClaims;
  /** For the document. */
  schema(): TObject;
}

export function configRules(claimants: Claimants & { readonly checks: KnownChecks }, caps: TargetCaps = TARGET_CAPS): ConfigRules {
  const claims = claimsOf(claimants);
  const { checks } = claimants;
  const findings = (level: Level): Iterable<Finding> => memberFindings(level, claims);
  return {
    claims,
    schema: () => configSchema(claims),
    judge(config, as) {
      const levels = judgedTree(config, caps);
      for (const level of levels) {
        refuseOtherShapes(level);
        if (as === "shape") continue;
        refuseFirst(findings(level), as);
        if (as === "written") refuseFirst(guardrailFindings(level, checks), as);
      }
    },
    idle: (config) => levelsOf(config).flatMap((level) => [...findings(level), ...guardrailFindings(level, checks)].filter(isIdle)),
  };
}

const isIdle = ({ idle }: Finding): boolean => idle;

function refuseFirst(findings: Iterable<Finding>, as: "written" | "saved"): void {
  for (const finding of findings) if (as === "written" || !finding.idle) throw refusal(finding);
}
const refusal = ({ at, why, code = "CONFIG_INVALID", details }: Finding): GatewayError =>
  new GatewayError(code, { why: `${at} ${why}`, ...details }, { param: at });

const levelShape = TypeCompiler.Compile(ConfigLevel);
function refuseOtherShapes({ at, is }: Level): void {
  if (levelShape.Check(is)) return;
  const problem = firstProblem(ConfigLevel, is);
  const place = `${at}.${indexed(problem?.path ?? "")}`;
  throw new GatewayError("CONFIG_INVALID", { why: `${place}: ${problem?.why ?? "it is not of the documented shape"}` }, { param: place });
}
/** `targets.0.name` -> `targets[0].name` */
const indexed = (path: string): string => path.replace(/\.(\d+)(?=\.|$)/g, "[$1]");

/* ── its size, judged before anything else walks it ──────────────────────────────────────────────────────────── */

function judgedTree(config: unknown, caps: TargetCaps): readonly Level[] {
  if (!isJson(config)) throw new GatewayError("CONFIG_INVALID", { why: "it must be a JSON object" });
  if ("options" in config)
    throw new GatewayError("CONFIG_INVALID", { why: "`options` is no longer read; write `targets`" }, { param: "options" });
  return levelsOf(config, caps);
}

/** The config and every target below it. The pass looks at lists of targets alone, and ends at the first that is too long. */
export function levelsOf(config: Json, caps?: TargetCaps): readonly Level[] {
  const levels: Level[] = [{ at: "config", is: config, isRoot: true }];
  for (const level of levels) {
    const targets = targetsOf(level.is);
    if (caps) refuseMany(level, targets.length, levels.length - 1, caps);
    for (let i = 0; i < targets.length; i += 1) {
      const is = targets[i];
      if (isJson(is)) levels.push({ at: `${level.at}.targets[${i}]`, is, isRoot: false });
    }
  }
  return levels;
}

function refuseMany({ at, is, isRoot }: Level, count: number, before: number, caps: TargetCaps): void {
  const cap = !isRoot ? caps.nested : modeOf(is) === CONDITIONAL ? caps.conditionalRoot : caps.root;
  if (count > cap) throw tooMany(`${at}.targets has ${count} items, at most ${cap} are allowed`, `${at}.targets`);
  if (before + count > caps.total) throw tooMany(`it has more than ${caps.total} targets in all`, `${at}.targets`);
}
const CONDITIONAL = "conditional";
const tooMany = (why: string, param: string): GatewayError => new GatewayError("CONFIG_INVALID", { why }, { param });
