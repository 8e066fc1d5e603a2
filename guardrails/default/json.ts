/**
 * JSON values written in a text: the whole text when it is JSON, else the fenced blocks, else every outermost run of
 * balanced braces. One pass; what does not parse is no candidate.
 */
export function jsonIn(text: string): readonly unknown[] {
  const whole = parsed([text]);
  if (whole.length > 0) return whole;
  const fenced = parsed(fences(text).map(({ content }) => content));
  return fenced.length > 0 ? fenced : parsed(braceRuns(text));
}

function parsed(candidates: readonly string[]): readonly unknown[] {
  return candidates.flatMap((candidate) => {
    try {
      const value: unknown = JSON.parse(candidate);
      return typeof value === "object" && value !== null ? [value] : [];
    } catch {
      return []; // prose that only looks like JSON
    }
  });
}

/** Fenced code blocks, with the word after the opening fence. A fence that is never closed is none. */
export function fences(text: string): readonly { readonly tag: string; readonly content: string }[] {
  const pieces = text.split("```");
  return pieces.flatMap((piece, index) => (index % 2 === 0 || index === pieces.length - 1 ? [] : [fence(piece)]));
}
function fence(piece: string): { readonly tag: string; readonly content: string } {
  const tag = /^[^\s{["]*/.exec(piece)?.[0] ?? "";
  return { tag, content: piece.slice(tag.length) };
}

/** Outermost balanced `{…}`; braces inside JSON strings do not count. */
function braceRuns(text: string): readonly string[] {
  const open: number[] = [];
  const runs: { readonly from: number; readonly to: number }[] = [];
  for (const { token, index } of tokens(text)) {
    if (token === "{") open.push(index);
    const from = token === "}" ? open.pop() : undefined;
    if (from === undefined) continue;
    while (runs.length > 0 && (runs.at(-1)?.from ?? -1) > from) runs.pop(); // this run holds those
    runs.push({ from, to: index + 1 });
  }
  return runs.map(({ from, to }) => text.slice(from, to));
}

/**
 * Braces outside of strings. A string that is never closed is none; then no later one is closed either, since all
 * quotes behind it are escaped, so that nothing is looked at twice.
 */
function* tokens(text: string): Generator<{ readonly token: string; readonly index: number }> {
  for (const { 0: token, 1: closed, index } of text.matchAll(/[{}]|"(?:[^"\\]|\\[\s\S])*?(?:(")|\\?$)/g)) {
    if (token.length === 1 && token !== '"') yield { token, index };
    else if (closed === undefined) return yield* bracesIn(text, index);
  }
}
function* bracesIn(text: string, from: number): Generator<{ readonly token: string; readonly index: number }> {
  for (const { 0: token, index } of text.slice(from).matchAll(/[{}]/g)) yield { token, index: from + index };
}
