import type { Requirement } from "./verifies.ts";

/** The README's status table: a line per section, how many of its promises are served, and what the others wait for. */
export function statusTable(rows: readonly Requirement[]): string {
  const sections = [...new Set(rows.map(({ section }) => section))];
  return [
    "| Specification | Served | Still to come |",
    "| :- | -: | :- |",
    ...sections.map((section) =>
      lineOf(
        section,
        rows.filter((row) => row.section === section),
      ),
    ),
  ].join("\n");
}

function lineOf(section: string, rows: readonly Requirement[]): string {
  const later = [...new Set(rows.flatMap(({ served }) => (served === true ? [] : [served.later])))];
  return `| ${section} | ${rows.filter(({ served }) => served === true).length} of ${rows.length} | ${later.join(", ")} |`;
}
