import { type Call, GatewayError, type Json, type MountedOperation, messageOf, type RequestLines, wholePath } from "#contract";
import { spentOnPart } from "../../../compute/allowance.ts";
import { jsonObject, type JsonLimits, longJsonObject, MAX_DEPTH } from "../../../json/bounded.ts";
import { utf8, withoutMark } from "../../../json/utf8.ts";
import { written } from "../../../json/written.ts";
import { isUtf8 } from "node:buffer";
import type { GuardedCall } from "../../call/guardrail-report.ts";
import type { ActiveGuardrail } from "../../plan/guardrails/active.ts";
import { guardInput } from "../guard.ts";
import type { GuardDeps, GuardView } from "../types.ts";

/** Bytes of a line that is judged at most. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;
const LIMITS: JsonLimits = { maxDepth: MAX_DEPTH };
/** What is shorter is parsed in one go. */
const LONG = 256 * 1024;

/** Who judges the lines of which upload. */
export interface LineJudge {
  readonly list: readonly ActiveGuardrail[];
  readonly call: Call;
  readonly view: GuardView;
  readonly lines: RequestLines;
  /** The operations that a line may ask. */
  readonly operations: readonly MountedOperation[];
  readonly deps: GuardDeps;
}
/** A line that was judged: its bytes as its guardrails left it, and what they said. */
export interface JudgedLine {
  readonly bytes: Uint8Array;
  readonly guarded: GuardedCall | null;
}

/** Judges one line like the request that it stands for. Throws GUARDRAIL_LINE_UNREAD where a guardrail that denies, or may change it, cannot. */
export async function judgedLine(bytes: Uint8Array<ArrayBuffer>, number: number, judge: LineJudge): Promise<JudgedLine> {
  const line = await lineIn(bytes).catch((thrown: unknown) => refuseUnread(judge.list, number, messageOf(thrown)));
  const request = line && judge.lines.request(line);
  const row = request && operationAt(request.path, judge.operations);
  if (line && !row) refuseUnread(judge.list, number, "it names no operation that the gateway has");
  if (!line || !request || !row) return { bytes, guarded: null };
  const guarded = await guardedBody(row, request.body, judge).catch((thrown: unknown) => {
    if (!GatewayError.is(thrown) || thrown.status !== 400) throw thrown;
    refuseUnread(judge.list, number, messageOf(thrown));
    return null;
  });
  const { body } = guarded?.call ?? judge.call;
  if (guarded === null || body.kind !== "json" || body.value === request.body) return { bytes, guarded };
  const text = await written(judge.lines.withBody(line, body.value), utf8(bytes));
  return { bytes: Buffer.from(typeof text === "string" ? `${text}\n` : Buffer.concat([text, Buffer.from("\n")])), guarded };
}

const guardedBody = async (row: MountedOperation, body: Json, judge: LineJudge): Promise<GuardedCall> =>
  guardInput(judge.list, callOf(row, body, judge), viewOf(body, judge), judge.deps);

/** A line as JSON. */
export async function lineIn(bytes: Uint8Array<ArrayBuffer>): Promise<Json> {
  if (!isUtf8(bytes)) throw new GatewayError("BODY_NOT_JSON", { why: "it is not UTF-8" });
  const json = withoutMark(bytes);
  return json.length < LONG ? jsonObject(utf8(json), LIMITS) : longJsonObject(json, LIMITS);
}

/** Some name an operation by its whole path, and some without its prefix. */
function operationAt(path: string, operations: readonly MountedOperation[]): MountedOperation | undefined {
  return operations.find((row) => row.method === "POST" && row.body === "json" && (wholePath(row, row.path) === path || row.path === path));
}

const callOf = (row: MountedOperation, body: Json, { call }: LineJudge): Call => ({
  ...call,
  ...{ operation: row.id, row, path: row.path, params: {} },
  body: { kind: "json", value: body, text: null },
});
const viewOf = (body: Json, { view }: LineJudge): GuardView => ({
  ...view,
  model: typeof body["model"] === "string" ? body["model"] : view.model,
  spending: spentOnPart(view.spending),
});

/** What cannot be judged passes only where no guardrail could have stopped or changed it. */
export function refuseUnread(list: readonly ActiveGuardrail[], line: number, why: string): undefined {
  const guardrail = list.find(
    ({ async: beside, deny, checks }) => !beside && (deny || checks.some(({ loaded }) => loaded?.check.transforms)),
  );
  if (guardrail === undefined) return undefined;
  const does = guardrail.deny ? "denies" : "may change what it reads";
  throw new GatewayError("GUARDRAIL_LINE_UNREAD", { guardrail: guardrail.id, does, line: String(line), why: why.replace(/\.$/, "") });
}
