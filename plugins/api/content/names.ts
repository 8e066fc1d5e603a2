/** Names of members, as they are written here in one line. */
export const namesOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Members that the readers of this folder look at. */
export const NAMES = namesOf(
  "arguments content documents function function_call input instructions messages model negative_prompt output parts prompt query refusal role suffix summary system text tool_calls tools transcript type variables",
);
/** Those of them, and of their parts, that are objects with such members of their own. What a call is given as a value has names of anybody's. */
export const OBJECTS = namesOf("function function_call custom audio");
