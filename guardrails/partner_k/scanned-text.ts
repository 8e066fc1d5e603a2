import type { CheckInput, Segment } from "#contract";

export const SCAN_SCOPES = ["last_message", "last_user_message", "user_messages", "all_messages"] as const;
export type ScanScope = (typeof SCAN_SCOPES)[number];

interface Choice {
  readonly scan_scope: ScanScope;
  readonly strip_scaffolding: boolean;
}

/** The text that is scanned: of a request, the messages that the scope says; of an answer, all of it. */
export function scannedText(
  { segments, side }: Pick<CheckInput<unknown>, "segments" | "side">,
  { scan_scope, strip_scaffolding }: Choice,
): string {
  const chosen = side === "input" ? CHOSEN[scan_scope](segments) : segments;
  return chosen.map((segment) => (strip_scaffolding ? withoutScaffolding(segment) : segment.text)).join("\n");
}

const CHOSEN: Readonly<Record<ScanScope, (all: readonly Segment[]) => readonly Segment[]>> = {
  last_message: (all) => ofMessage(all, all.at(-1)),
  last_user_message: (all) =>
    ofMessage(
      all,
      all.findLast(({ role }) => role === "user"),
    ),
  user_messages: (all) => all.filter(({ role }) => role === "user"),
  all_messages: (all) => all,
};
/** The pieces of the message that this piece is of: paths begin with where the message stands. */
const ofMessage = (all: readonly Segment[], piece: Segment | undefined): readonly Segment[] =>
  piece === undefined ? [] : all.filter(({ path }) => messageAt(path) === messageAt(piece.path));
const messageAt = (path: string): string => /^[^.[]*(\[\d+\])?/.exec(path)?.[0] ?? path;

/** What coding agents put around what people say. What tools answer is kept whatever stands in it. */
const WRAPPERS = [
  "system-reminder",
  "environment_details",
  "environment_context",
  "user_instructions",
  "local-command-caveat",
  "local-command-stdout",
  "command-name",
  "command-message",
  "command-args",
  "ide_selection",
  "ide_opened_file",
];
const SCAFFOLDING = new RegExp(`<(${WRAPPERS.join("|")})>[\\s\\S]*?</\\1>`, "g");
const withoutScaffolding = ({ kind, role, text }: Segment): string =>
  kind === "tool_result" || role === "tool" || !text.includes("</") ? text : text.replace(SCAFFOLDING, "").trim();
