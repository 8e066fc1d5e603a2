/** The languages that `gateway.language` can ask for, each with its script. */
// biome-ignore format: ten to a line
export const LABELS = [
  "eng_Latn", "zho_Hans", "spa_Latn", "ara_Arab", "por_Latn", "ind_Latn", "fra_Latn", "jpn_Jpan", "rus_Cyrl", "deu_Latn",
  "kor_Hang", "tur_Latn", "ita_Latn", "pes_Arab", "pol_Latn", "vie_Latn", "nld_Latn", "hin_Deva", "tha_Thai", "heb_Hebr",
  "ben_Beng", "swe_Latn", "ces_Latn", "ron_Latn", "ell_Grek", "ukr_Cyrl", "dan_Latn", "fin_Latn", "nor_Latn", "hun_Latn",
  "cat_Latn", "bul_Cyrl", "msa_Latn", "hrv_Latn", "arb_Latn", "slk_Latn", "lit_Latn", "lav_Latn", "srp_Cyrl", "slv_Latn",
  "est_Latn", "urd_Arab", "fil_Latn", "aze_Latn", "tam_Taml", "tel_Telu", "mar_Deva", "kan_Knda", "fas_Arab",
] as const;
export type Label = (typeof LABELS)[number];

/** Labels that mean one language, or two that a text can hardly tell apart: who asks for one is content with the other. */
const SAME: readonly (readonly Label[])[] = [
  ["pes_Arab", "fas_Arab"],
  ["ara_Arab", "arb_Latn"],
  ["ind_Latn", "msa_Latn"],
];
export const meansSame = (asked: Label, found: string): boolean =>
  asked === found || SAME.some((labels) => labels.includes(asked) && (labels as readonly string[]).includes(found));

/**
 * The label of each language that the table tells apart. Bosnian, Montenegrin and Serbian in Latin letters are `hrv_Latn`,
 * both ways to write Norwegian `nor_Latn`, the Arabic of every country `ara_Arab`, Dari `pes_Arab`, Tagalog `fil_Latn`.
 */
// biome-ignore format: a table
export const LABEL_OF_CODE: Readonly<Record<string, Label | `${string}_${string}`>> = {
  ar: "ara_Arab", az: "aze_Latn", be: "bel_Cyrl", bg: "bul_Cyrl", ca: "cat_Latn", cs: "ces_Latn", da: "dan_Latn", de: "deu_Latn",
  en: "eng_Latn", es: "spa_Latn", et: "est_Latn", eu: "eus_Latn", fa: "pes_Arab", fi: "fin_Latn", fr: "fra_Latn", hi: "hin_Deva",
  hr: "hrv_Latn", hu: "hun_Latn", is: "isl_Latn", it: "ita_Latn", ku: "ckb_Arab", lt: "lit_Latn", lv: "lav_Latn", mr: "mar_Deva",
  nl: "nld_Latn", no: "nor_Latn", pl: "pol_Latn", pt: "por_Latn", ro: "ron_Latn", ru: "rus_Cyrl", sk: "slk_Latn", sl: "slv_Latn",
  sq: "sqi_Latn", sr: "srp_Cyrl", sv: "swe_Latn", tl: "fil_Latn", tr: "tur_Latn", uk: "ukr_Cyrl", ur: "urd_Arab", vi: "vie_Latn",
  yo: "yor_Latn",
};

/** Languages that their script alone says. Chinese in traditional characters is `zho_Hans` too: no other label is for it. */
export const LABEL_OF_SCRIPT: Readonly<Record<string, Label>> = {
  Hani: "zho_Hans",
  Kana: "jpn_Jpan",
  Hang: "kor_Hang",
  Thai: "tha_Thai",
  Hebr: "heb_Hebr",
  Beng: "ben_Beng",
  Grek: "ell_Grek",
  Taml: "tam_Taml",
  Telu: "tel_Telu",
  Knda: "kan_Knda",
};
