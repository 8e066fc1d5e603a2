import { KINDS, type Manifest, nearest } from "#contract";
import { UsageError } from "../../cli/usage.ts";

/** What can be made: every kind of plugin, and the provider that is one manifest. */
const TEMPLATE_NAMES = [...KINDS, "openai-compatible"] as const;
export type Template = (typeof TEMPLATE_NAMES)[number];
export const kindOf = (template: Template): Manifest["kind"] => (template === "openai-compatible" ? "provider" : template);

/** What `new` lists under "Kinds". */
export const KINDS_HELP = `Kinds
  guardrail           A pack of checks; the template's check asks a service over HTTP.
  provider            A model provider with a wire of its own.
  openai-compatible   A provider that speaks OpenAI's API: one manifest, no code.
  policy              Identity, limits or a routing strategy; the template is a strategy.
  admin               A control-plane resource: one table and its rules.
  api                 Routes of the data plane.
  price               Prices of models, in a table of the operator's.
  exporter  cache  tokenizer  mail  secret  storage  console`;

/** The sentence says what would be right. */
export const refused = (why: string): UsageError => new UsageError(why, "new");

export function templateNamed(word: string | undefined): Template {
  const template = TEMPLATE_NAMES.find((name) => name === word);
  if (template) return template;
  if (word === undefined) throw refused(`Say what kind of plugin to make; the kinds are ${TEMPLATE_NAMES.join(", ")}.`);
  const meant = nearest(word, TEMPLATE_NAMES);
  throw refused(
    meant === undefined
      ? `There is no kind ${word}; the kinds are ${TEMPLATE_NAMES.join(", ")}.`
      : `There is no kind ${word}; ${meant} was probably meant.`,
  );
}

/** An id that a plugin may have; `program` is what the person typed. */
export function judgedId(id: string | undefined, template: Template, program: string): string {
  if (id === undefined) throw refused(`Say what the ${kindOf(template)} is called: ${program} new ${template} <id>.`);
  if (/^[a-z][a-z0-9_-]{0,63}$/.test(id)) return id;
  throw refused(
    `The id ${id} cannot be used: it begins with a lowercase letter and has lowercase letters, digits, - and _ only, at most 64.`,
  );
}

/** `acme-llm` -> `Acme Llm` */
export const titleOf = (id: string): string =>
  id
    .split(/[-_]/)
    .filter((word) => word !== "")
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join(" ");

export const NAMED_POLICY = "A policy that identifies, admits or settles runs only where a profile names it (plugins or order).";
