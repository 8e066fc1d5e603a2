/* What is known of OpenAI's models by their names alone (seen 2026-07); a deployment may be called otherwise. */

/** Codex, the pro models and those for research have no chat completions. */
const RESPONSES_ALONE = /^(codex-|computer-use-)|-codex(-|$)|-deep-research|^(o\d|gpt-\d[\d.]*)-pro(-|$)/;
export const isResponsesAlone = (model: string): boolean => RESPONSES_ALONE.test(model);

/** Asked for thoughts, these refuse the request; later ones think. */
const UNTHINKING = /^(ft:)?(gpt-[34]|chatgpt-)|^gpt-5[\d.]*-chat/;
export const isThinking = (model: string): boolean => !UNTHINKING.test(model);
