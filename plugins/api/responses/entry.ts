/** What a table has under a name from outside. */
export const entry = <T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;
