/** Writes names.json: given and family names of eight locales, from @faker-js/faker (MIT). Run it after an update of that package. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const LOCALES = ["en", "es", "es_MX", "fr", "de", "pt_BR", "pt_PT", "it"];
const NAME = /^\p{Lu}[\p{L}'’-]{2,}$/u;

type Kinds = Readonly<Record<string, readonly string[] | null>>;
interface Locale {
  readonly faker: { readonly rawDefinitions: { readonly person?: { readonly first_name?: Kinds; readonly last_name?: Kinds } } };
}

/** Every name of a kind once, in the order of the alphabet, joined by spaces. */
export async function namesOf(kind: "first_name" | "last_name"): Promise<string> {
  const locales = (await Promise.all(LOCALES.map((locale) => import(`@faker-js/faker/locale/${locale}`)))) as readonly Locale[]; // the types of a computed import are unknown
  const lists = locales.flatMap(({ faker }) => Object.values(faker.rawDefinitions.person?.[kind] ?? {}));
  const words = lists.flatMap((list) => (list ?? []).flatMap((name) => name.split(/\s+/)));
  return [...new Set(words.filter((word) => NAME.test(word)))].sort().join(" ");
}

if (import.meta.main) {
  const source =
    "Given and family names of eight locales from @faker-js/faker, MIT, Copyright (c) 2022-2025 Faker. Written by written-names.ts.";
  const names = { source, given: await namesOf("first_name"), family: await namesOf("last_name") };
  writeFileSync(join(import.meta.dirname, "names.json"), `${JSON.stringify(names, null, 2)}\n`);
}
