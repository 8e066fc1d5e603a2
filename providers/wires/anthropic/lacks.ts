/** What Claude has in no form, wherever it is asked. */
export const CLAUDE_LACKS = ["choices", "logprobs", "speech", "hearing", "blankStops", "functionTurns"] as const;
