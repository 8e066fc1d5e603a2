/**
 * What the checks of this build claim, as cells: check × operation × side, and on answers × streamed or not. It is read off
 * what checks and operations declare, and not off the engine, so that the walk finds where the engine does something else.
 */
import type { Check, MountedOperation, Side } from "#contract";
import { registry } from "../../core/generated/registry.ts";
import { STEP_LIMITS } from "../../core/kernel/life.ts";
import type { LoadedCheck } from "../../core/kernel/generation.ts";
import type { Built } from "../../core/kernel/boot.ts";
import { bootWith, type Given, PROFILE, rowOf } from "../kit/deployment.ts";

/** Everything of this build over memory, and what a test brings beside it. */
export const deployment = (given: readonly Given[] = []): Promise<Built> =>
  bootWith([], {
    registry: [...registry, ...given.map(rowOf)],
    profile: {
      ...PROFILE,
      plugins: { "storage/sqlite": { enabled: false } },
      order: [
        ...given.filter(({ manifest }) => manifest.kind === "policy").map(({ manifest }) => `policy/${manifest.id}`),
        "policy/api-key",
      ],
    },
    limits: STEP_LIMITS,
  });

export interface Cell {
  readonly check: Check;
  readonly operation: MountedOperation;
  readonly side: Side;
  readonly streamed: boolean;
}

/** Checks by their own ids: an alias is the same check under another name. */
export const checksOf = ({ generation: { checks } }: Built): readonly LoadedCheck[] =>
  [...checks].flatMap(([id, loaded]) => (loaded.check.id === id ? [loaded] : []));

/** Operations whose bodies hold something to judge; a socket's messages are judged one by one, and have a walk of their own. */
export const surfacesOf = ({ generation: { operations } }: Built): readonly MountedOperation[] =>
  [...operations.values()].map(({ row }) => row).filter(({ content }) => content.input !== undefined || content.output !== undefined);

const looksAtContent = ({ wants }: Check): boolean => wants === undefined || wants.length > 0;

/** Does the check say that it judges this side of this operation? */
export function claims(check: Check, operation: MountedOperation, side: Side): boolean {
  if (!check.on.includes(side) || !(check.targets ?? ["llm"]).includes("llm")) return false;
  if (side === "output" && operation.content.output === undefined) return false;
  if (check.operations) return check.operations.some((name) => name === operation.id);
  return !looksAtContent(check) || operation.content[side] !== undefined;
}

/** May its answers come as events that hold a text? Of those with a dialect, and of those whose events are read as one body. */
export const streams = ({ streams: asked, content: { output, noJson } }: MountedOperation): boolean =>
  output !== undefined && (asked === true || noJson !== undefined);
/** Is there another way than a stream? */
export const answersWhole = ({ inPath }: MountedOperation): boolean => inPath?.includes("stream") !== true;

export function cellsOf(checks: readonly Check[], operations: readonly MountedOperation[]): readonly Cell[] {
  return checks.flatMap((check) =>
    operations.flatMap((operation) => [
      ...(claims(check, operation, "input") ? [{ check, operation, side: "input" as const, streamed: !answersWhole(operation) }] : []),
      ...(claims(check, operation, "output") ? answersOf(check, operation) : []),
    ]),
  );
}
const answersOf = (check: Check, operation: MountedOperation): readonly Cell[] => [
  ...(answersWhole(operation) ? [{ check, operation, side: "output" as const, streamed: false }] : []),
  ...(streams(operation) ? [{ check, operation, side: "output" as const, streamed: true }] : []),
];
