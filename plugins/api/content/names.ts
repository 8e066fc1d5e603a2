/** Names of members, as they are written here in one line. */
export const namesOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Members that the readers of this folder look at. */
export const NAMES = namesOf(
  "arguments content documents function function_call input instructions messages model negative_prompt output parts prompt query refusal role suffix summary system text tool_calls tools type variables",
);
