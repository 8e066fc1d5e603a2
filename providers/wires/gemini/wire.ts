/** The dialect in which Gemini's signatures are native, wherever it runs. */
export const GEMINI_WIRE = "gemini";
/** From Gemini 3 on the first call of a turn must be signed; this stands for a signature that the client was not shown, or another vendor's. */
export const isSigning = (model: string): boolean => /gemini-[3-9]/.test(model);
export const UNSIGNED = "skip_thought_signature_validator";
