import { OWN_PREFIX } from "#contract";

/**
 * Says what the gateway says of an answer (trace, retries, cache …) under the other prefixes too: a client made for one of
 * them decides by such a header whether to ask again.
 */
export function withAliases(prefixes: readonly string[]): (answer: Response) => Response {
  const aliases = prefixes.filter((prefix) => prefix !== OWN_PREFIX);
  return (answer) => {
    const own = [...answer.headers].filter(([name]) => name.startsWith(OWN_PREFIX));
    for (const [name, value] of own) for (const alias of aliases) answer.headers.set(alias + name.slice(OWN_PREFIX.length), value);
    return answer;
  };
}
