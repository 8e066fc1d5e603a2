import { isJson, type Json } from "#contract";

/*
 * Calls whose members are their own: commands of a shell, the difference of a patch, the code of an interpreter, a query. All of
 * them but those that say which call it is are its arguments, whoever runs it, and whatever was found.
 */

/** Calls that have a name and arguments as one member. */
const NAMED: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call", "mcp_call"]);
export const isOwnCall = ({ type }: Json): boolean => typeof type === "string" && type.endsWith("_call") && !NAMED.has(type);

const IDENTITY: ReadonlySet<string> = new Set(["type", "id", "call_id", "status", "role", "name"]);
const membersOf = (item: Json, isIdentity: boolean): Json =>
  Object.fromEntries(Object.entries(item).filter(([name]) => IDENTITY.has(name) === isIdentity));
export const ownArguments = (item: Json): Json => membersOf(item, false);

/** The call with other arguments; which call it is stays. */
export const withArguments = (item: Json, args: unknown): Json => (isJson(args) ? { ...args, ...membersOf(item, true) } : item);
