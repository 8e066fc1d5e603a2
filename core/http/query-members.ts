import type { TSchema } from "@sinclair/typebox";

/** `tags[cloud]` */
const MEMBER = /^(\w+)\[([^\]]*)\]$/;

/** What a query says, by name; the members of one that is said in brackets (`tags[cloud]=aws`) as the JSON object that they make. */
export function queryMembers(params: Iterable<readonly [string, string]>, schema: TSchema): Record<string, string> {
  const said: [string, string][] = [];
  const members = new Map<string, [string, string][]>();
  for (const [name, value] of params) {
    const [, of = "", member = ""] = MEMBER.exec(name) ?? [];
    if (of === "" || !Object.hasOwn(schema["properties"] ?? {}, of)) said.push([name, value]);
    else members.set(of, [...(members.get(of) ?? []), [member, value]]);
  }
  const objects = [...members].map(([name, pairs]) => [name, JSON.stringify(Object.fromEntries(pairs))] as const);
  return Object.fromEntries([...said, ...objects]);
}
