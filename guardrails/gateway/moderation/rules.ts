import type { Category } from "./category.ts";
import { HOSTILE } from "./hostile-rules.ts";
import { SELF_HARM } from "./self-harm-rules.ts";
import { SEXUAL } from "./sexual-rules.ts";
import { VIOLENT } from "./violence-rules.ts";
import type { Rule } from "./words.ts";

export const RULES: Readonly<Record<Category, readonly Rule[]>> = { ...HOSTILE, ...SELF_HARM, ...SEXUAL, ...VIOLENT };
