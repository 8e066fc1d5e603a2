import { Refusal } from "./refusal.ts";

/** A member or field that the operation cannot do without. */
export const missing = (param: string): Refusal =>
  new Refusal(400, { message: `Missing required parameter: '${param}'.`, param, code: "missing_required_parameter" });

export const invalid = (param: string, message: string): Refusal => new Refusal(400, { message, param });
