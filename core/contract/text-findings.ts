import { CheckFault } from "./vendor.ts";
import type { CheckInput, Segment, TextFinding, Verdict } from "./guardrail.ts";

/** Texts a vendor is asked about at one time. */
const AT_ONCE = 8;
/** Texts and pieces it is asked about in all: more would take until the deadline, behind which a guardrail lets requests pass. */
const MAX_ASKED = 128;

/**
 * Judges each text by itself, for vendors whose answers say where in a text something stands: a few at a time, and those
 * without a word not at all. A text of more than `longest` characters is judged in pieces, which end where a word does.
 */
export async function judgedEach(
  { segments }: Pick<CheckInput<unknown>, "segments">,
  judge: (segment: Segment) => Promise<TextFinding>,
  longest = Number.POSITIVE_INFINITY,
): Promise<Verdict> {
  const asked = segments.filter(({ text }) => text.trim() !== "");
  const pieces = asked.flatMap((segment) => piecesOf(segment, longest));
  if (pieces.length > MAX_ASKED)
    throw new CheckFault("budget", `the texts are ${pieces.length} questions to the service; ${MAX_ASKED} are asked`);
  const findings: TextFinding[] = [];
  for (let at = 0; at < pieces.length; at += AT_ONCE)
    findings.push(...(await Promise.all(pieces.slice(at, at + AT_ONCE).map(({ piece }) => judge(piece)))));
  if (pieces.length === asked.length) return verdictOf(asked, findings);
  const judged = pieces.map(({ of, piece }, index) => ({ of, text: piece.text, finding: findings[index] ?? { reason: null } }));
  const byText = Map.groupBy(judged, ({ of }) => of);
  return verdictOf(
    asked,
    asked.map((segment) => joined(byText.get(segment) ?? [])),
  );
}

interface Piece {
  readonly of: Segment;
  readonly piece: Segment;
}
function piecesOf(of: Segment, longest: number): readonly Piece[] {
  if (of.text.length <= longest) return [{ of, piece: of }];
  const pieces: Piece[] = [];
  for (let at = 0; at < of.text.length; ) {
    const end = endOfPiece(of.text, at, longest);
    pieces.push({ of, piece: { ...of, text: of.text.slice(at, end) } });
    at = end;
  }
  return pieces;
}
/** Behind the last blank of the piece; in one long word, not between the halves of a character. */
function endOfPiece(text: string, at: number, longest: number): number {
  const end = at + longest;
  if (end >= text.length) return text.length;
  const blank = Math.max(text.lastIndexOf(" ", end - 1), text.lastIndexOf("\n", end - 1));
  if (blank > at) return blank + 1;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return isHalf && end - 1 > at ? end - 1 : end;
}

/** What was found in a text, of what was found in its pieces. */
function joined(pieces: readonly { readonly text: string; readonly finding: TextFinding }[]): TextFinding {
  const found = pieces.filter(({ finding }) => finding.reason !== null).map(({ finding }) => finding);
  const [first] = found;
  if (first === undefined) return pieces[0]?.finding ?? { reason: null };
  const { redacted: _, ...stays } = found.find(({ redacted }) => redacted === undefined) ?? first;
  if (found.some(({ redacted }) => redacted === undefined)) return stays;
  return { ...first, redacted: pieces.map(({ text, finding }) => finding.redacted ?? text).join("") };
}

/** One verdict of what was found in each of the segments: one finding that cannot be redacted denies. */
export function verdictOf(segments: readonly Segment[], findings: readonly TextFinding[]): Verdict {
  const data = dataOf(findings);
  const denied = findings.find(({ reason, redacted }) => reason !== null && redacted === undefined);
  if (denied) return { verdict: "deny", reason: String(denied.reason), ...data };
  const patches = segments.flatMap(({ path }, index) => {
    const redacted = findings[index]?.redacted;
    return redacted === undefined ? [] : [{ path, text: redacted }];
  });
  return patches.length > 0 ? { verdict: "transform", patches, ...data } : { verdict: "allow", ...data };
}

/** One finding's own, or the list of all. */
function dataOf(findings: readonly TextFinding[]): { readonly data?: unknown } {
  const shown = findings.flatMap(({ data }) => (data === undefined ? [] : [data]));
  if (shown.length === 0) return {};
  return { data: shown.length === 1 ? shown[0] : shown };
}
