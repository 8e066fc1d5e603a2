import type { CheckInput, Json, Segment } from "#contract";

/** A message as the vendor has it. */
export interface Message extends Json {
  readonly role: string;
  readonly content: string;
}

/** What the check sees, one message for each text: so that what comes back masked can be put where it stood. */
export const messagesOf = ({ segments }: Pick<CheckInput<unknown>, "segments">): readonly Message[] => segments.map(messageOf);
const messageOf = ({ role, text }: Segment): Message => ({ role: ROLES[role], content: text });

/** The vendor knows no tools; what they say comes from outside. */
const ROLES = { system: "system", user: "user", assistant: "assistant", tool: "user" } as const satisfies Record<Segment["role"], string>;
