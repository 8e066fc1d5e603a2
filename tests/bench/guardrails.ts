/** Prints how well each check finds what it looks for, and how long it takes: `npm run bench:guardrails [check]`. */
import { f1Of, precisionOf, recallOf, type Scored, scored, setsOf } from "./guardrail-cases.ts";

const shown = (share: number): string => share.toFixed(3);

function tableOf({ byLabel }: Scored): Readonly<Record<string, object>> {
  const row = ([label, figures]: readonly [string, Parameters<typeof f1Of>[0]]) => [
    label,
    { ...figures, precision: shown(precisionOf(figures)), recall: shown(recallOf(figures)), F1: shown(f1Of(figures)) },
  ];
  return Object.fromEntries([...byLabel].map(row));
}

for (const path of setsOf(process.argv[2])) {
  const result = await scored(path);
  console.log(`\n${result.check}, ${result.set} set: ${result.cases} cases, ${result.usPerKb.toFixed(0)} µs per kilobyte`);
  console.table(tableOf(result));
}
