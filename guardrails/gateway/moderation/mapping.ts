import { CATEGORIES, type Category, WIDER } from "./category.ts";

/** What a model's own category stands for. */
export type Mapping = Readonly<Record<string, readonly Category[]>>;

/** Of moderation endpoints: the eleven by their own names, and those of vendors that have others. */
export const ENDPOINT: Mapping = {
  ...Object.fromEntries(CATEGORIES.map((category) => [category, [category]])),
  hate_and_discrimination: ["hate", "harassment"],
  violence_and_threats: ["violence", "harassment/threatening", "hate/threatening"],
  selfharm: ["self-harm", "self-harm/intent", "self-harm/instructions"],
};

/** The hazards of MLCommons, which guard models answer as codes. Where one is wider than ours, all of ours in it are meant; the codes that are missing hold none of them. */
export const HAZARDS: Mapping = {
  S1: ["violence", "harassment/threatening"],
  S3: ["sexual"],
  S4: ["sexual", "sexual/minors"],
  S9: ["violence"],
  S10: ["hate", "harassment"],
  S11: ["self-harm", "self-harm/intent", "self-harm/instructions"],
  S12: ["sexual"],
};

/** The categories that these of a model's stand for, and what is always said with them. */
export function meant(names: Iterable<string>, mapping: Mapping): ReadonlySet<Category> {
  const found = new Set<Category>();
  for (const name of names)
    for (const category of Object.hasOwn(mapping, name) ? (mapping[name] ?? []) : []) {
      found.add(category);
      const wider = WIDER[category];
      if (wider !== undefined) found.add(wider);
    }
  return found;
}
