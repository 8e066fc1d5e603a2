/**
 * How well checks find what they look for, on labelled texts that stand beside them:
 * `guardrails/<pack>/cases/<check>/first.jsonl`, written while the check was, `second.jsonl`, written when its code was done,
 * and one more after each change that the last one led to. A folder of them joins the bench by existing; its `scoring.ts`
 * says how a case and a result are compared.
 */
import { join } from "node:path";
import { Glob } from "bun";
import type { Check, CheckInput, GuardrailPack, Json } from "#contract";

const ROOT = join(import.meta.dirname, "../..");

/** A line of a set: a text, and whatever the scoring reads. */
export type Case = Json & { readonly text: string };

/** The default export of a `scoring.ts`. */
export interface Scoring {
  /** Parameters that the check is asked with. */
  readonly params: (row: Case) => Json;
  /** What ought to be found in a text. Behind a `#` is which of several: `NAME#12`. */
  readonly expected: (row: Case) => readonly string[];
  /** What was found, from the `data` of the verdict. */
  readonly found: (data: Json, row: Case) => readonly string[];
  /** Is the case one that figures are promised for? Others are shown only. Default: every one. */
  readonly isPromised?: (row: Case) => boolean;
}

export interface Figures {
  readonly found: number;
  readonly expected: number;
  readonly right: number;
}
export interface Scored {
  readonly check: string;
  readonly set: string;
  readonly cases: number;
  /** By what is looked for; `all` is their sum. */
  readonly byLabel: ReadonlyMap<string, Figures>;
  /** Of texts of a kilobyte, when the code is warm. */
  readonly usPerKb: number;
}

export const precisionOf = ({ found, right }: Figures): number => (found === 0 ? 1 : right / found);
export const recallOf = ({ expected, right }: Figures): number => (expected === 0 ? 1 : right / expected);
export const f1Of = ({ found, expected, right }: Figures): number => (found + expected === 0 ? 1 : (2 * right) / (found + expected));

/** Paths of every set, or of one check's. */
export const setsOf = (check = "*"): readonly string[] => [...new Glob(`guardrails/*/cases/${check}/*.jsonl`).scanSync(ROOT)].sort();

/** Asks the check of a set for each of its texts. */
export async function scored(path: string): Promise<Scored> {
  const [, pack = "", , name = "", file = ""] = path.split("/");
  const { default: scoring } = (await import(join(ROOT, path, "../scoring.ts"))) as { readonly default: Scoring };
  const check = await checkOf(pack, name);
  const rows = (await Bun.file(join(ROOT, path)).text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Case);
  const promised = rows.filter(scoring.isPromised ?? (() => true));
  const answers = [];
  for (const row of promised) answers.push({ row, data: await dataOf(check, row.text, scoring.params(row)) });
  const params = promised[0] === undefined ? {} : scoring.params(promised[0]);
  const byLabel = counted(answers.map(({ row, data }) => ({ expected: scoring.expected(row), found: scoring.found(data, row) })));
  return { check: check.id, set: file.replace(".jsonl", ""), cases: rows.length, byLabel, usPerKb: await usPerKb(check, params, promised) };
}

const KB = 1_024;
const PASSES = 15;
/** The fastest of several passes over the texts of a set, joined and cut into kilobytes. */
async function usPerKb(check: Check, params: Json, rows: readonly Case[]): Promise<number> {
  const all = rows.map(({ text }) => text).join("\n");
  const pieces = Array.from({ length: Math.ceil(all.length / KB) }, (_, at) => all.slice(at * KB, (at + 1) * KB));
  const passes = [];
  for (let pass = 0; pass < PASSES; pass += 1) {
    const startedAt = performance.now();
    for (const piece of pieces) await dataOf(check, piece, params);
    passes.push(((performance.now() - startedAt) * 1_000) / all.length);
  }
  return Math.min(...passes) * KB;
}

async function checkOf(pack: string, name: string): Promise<Check> {
  const { default: plugin } = (await import(join(ROOT, "guardrails", pack, "index.ts"))) as {
    readonly default: { setup(...given: unknown[]): unknown };
  };
  const { provides } = (await plugin.setup(NO_HOST, {})) as { readonly provides: GuardrailPack };
  const check = provides.checks.find(({ id }) => id === `${pack}.${name}`);
  if (check === undefined) throw new Error(`the pack ${pack} has no check ${name}`);
  return check;
}
const NO_HOST = { log: () => undefined, now: Date.now };

async function dataOf(check: Check, text: string, params: Json): Promise<Json> {
  const segments = [{ path: "text", role: "user", kind: "text", text }];
  const signal = new AbortController().signal;
  const given = { not: false, timeout: 60_000, ...params };
  const input = { params: given, side: "input", text, segments, signal, now: 0 } as unknown as CheckInput<never>; // what a check may need of a request
  const { data } = await check.run(input);
  return (data ?? {}) as Json; // the scoring knows what its check shows
}

interface Compared {
  readonly expected: readonly string[];
  readonly found: readonly string[];
}
function counted(compared: readonly Compared[]): ReadonlyMap<string, Figures> {
  const labels = [...new Set(compared.flatMap(({ expected, found }) => [...expected, ...found]).map(kindOf))].sort();
  const figures = new Map(labels.map((label) => [label, figuresOf(compared, (each) => kindOf(each) === label)]));
  return new Map([...figures, ["all", figuresOf(compared, () => true)]]);
}
const kindOf = (label: string): string => label.split("#", 1)[0] ?? label;
function figuresOf(compared: readonly Compared[], counts: (label: string) => boolean): Figures {
  const sum = (of: (each: Compared) => readonly string[]): number =>
    compared.reduce((total, each) => total + of(each).filter(counts).length, 0);
  return {
    found: sum(({ found }) => found),
    expected: sum(({ expected }) => expected),
    right: sum(({ expected, found }) => expected.filter((label) => found.includes(label))),
  };
}
