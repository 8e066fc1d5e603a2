import { Type } from "@sinclair/typebox";
import { type Handles, RedactParam, vendorParams } from "#contract";

export type Host = Pick<Handles, "fetch">;

/** One set for all its checks; only one of them can redact. */
export const Params = Type.Object({ redact: RedactParam, ...vendorParams() });

/** The service asks for no key. */
export const addressOf = (what: "guard" | "pii" | "harm"): string => `https://api.promptfoo.dev/v1/${what}`;
