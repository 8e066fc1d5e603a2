import type { Finder, Span } from "./entity.ts";

/*
 * Addresses are found from the word for their street; what stands before and behind it is read within limits, so that no
 * text is read more than once. A place alone ("London") is no address: it needs a house number or a box.
 */
const WORD = String.raw`\p{Lu}[\p{L}\p{M}'’.-]{0,30}`;
const NUMBER = String.raw`\d{1,5}(?:\s?(?:bis|ter|quater)\b|\s?[A-Z](?![\p{L}\p{M}])|[a-z](?![\p{L}\p{M}]))?(?:\s?[-–/]\s?\d{1,4}[a-zA-Z]?)?(?![\d])`;
/** One way to read each: a text could else be read in more ways than there is time for. */
const PARTICLES = String.raw`(?:(?:de|del|la|las|los|el|do|da|dos|das|di|della|dello|delle|dei|degli|dal|du|des|le|les|et|aux?|à|e|y|san|santa|sur|von|der|den|und|al|alla|en)\s|(?:l|d|dell|dall)['’]){0,3}`;
const NAME = String.raw`${PARTICLES}(?:${WORD}|\d{1,2}(?=\s(?:de|di)\s))(?:\s+${PARTICLES}${WORD}|\s(?:de|di)\s\p{Ll}{3,20}){0,4}`;
const CITY_WORD = String.raw`${WORD}(?![\p{L}\d])`;
const CITY = String.raw`${CITY_WORD}(?:[\s-](?:(?:de|del|la|le|sur|di|do|da|am|an der|im|of|upon|sous|en|el)[\s-])?${CITY_WORD}){0,3}`;
/** Words that may have a capital: what is beside them must not lose the difference. */
const anyCase = (words: string): string => words.replace(/(?<![\p{L}\p{M}])\p{Ll}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);
const UNITS = anyCase(
  "apt|apartment|suite|ste|unit|floor|fl|flat|room|piso|planta|puerta|esc|portal|int|interior|interno|scala|piano|apto|apartamento|ap|bloco|bl|andar|lote|loja|bât|bâtiment|étage|appt|escalier|etage|stock|dpto|depto|oficina|of|local",
);
const SIDES = anyCase("izq|dcha|der|esq|dto|dta|andar|piso|étage|og|stock|frente|centro|ctro");
const UNIT = String.raw`(?:,?\s+(?:${UNITS})(?:\.\s?|\s)[\p{L}\d]{1,4}(?![\p{L}\d])[ºª°]?|,?\s+#\s?\d{1,5}|,?\s+\d{1,2}(?:st|nd|rd|th)\s[Ff]loor|,?\s+\d{1,2}[.º°ª]{1,2}\s?(?:(?:[A-Z]|${SIDES})(?!\p{L})\.?)?){0,3}`;
const POST_CODE = String.raw`(?:[A-Z]{1,2}[-–\s])?(?:\d{5}-\d{3,4}|\d{4}-\d{3}|\d{5}|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|[A-Z]\d[A-Z]\s?\d[A-Z]\d)(?![\p{L}\d])`;
/** City and post code in either order, a state, a province. */
const REST = String.raw`${UNIT}(?:\s?[,\n–-]\s*${WORD}(?:\s${WORD}){0,2}(?=\s?[,–-])){0,2}(?:[,\s\n–-]{1,3}(?:c\.?p\.?\s?|cep:?\s?|cap:?\s?)?${POST_CODE}(?:[,\s]{1,2}${CITY})?|\s?[,\n]\s*${CITY}(?:[,\s–/-]{1,3}[A-Z]{2}\b)?(?:[,\s–-]{1,3}${POST_CODE})?)?(?:\s?\([A-Z]{2}\))?`;

const GERMAN_REST = String.raw`${NUMBER}(?!\s\p{Lu}\p{L}+(?:en|er)(?!\p{L})|\s?(?:km|Kilometer|Minuten|Stunden|Euro|€|Uhr|ist|war))(?:,?\s+(?:D-)?\d{5}\s${CITY}|,\s*${CITY})?`;

/** A street's word, what must stand before it, and what must stand behind it; one of the two holds the number. */
interface Form {
  readonly word: RegExp;
  readonly before?: RegExp;
  readonly behind: RegExp;
}
const behind = (pattern: string): RegExp => new RegExp(`^${pattern}`, "u");
const before = (pattern: string): RegExp => new RegExp(`${pattern}$`, "u");

const FORMS: readonly Form[] = [
  {
    // 221B Baker Street, London NW1 6XE
    word: /(?<=\s)(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Way|Highway|Hwy|Parkway|Pkwy|Circle|Cir|Close|Crescent|Gardens|Grove|Mews|Row|Walk|Hill|Alley|Quay|Trail|Loop|Turnpike|Plaza|Green)\b\.?(?!\s(?:of|team|[a-z]+ed)\b)/gu,
    before: before(
      String.raw`(?<![\p{L}\d$€£.,:#]|\d\s)${NUMBER},?\s+(?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West|Old|New|St|Upper|Lower)\.?\s+)?(?:(?:(?:of|the)\s)?(?:${WORD}|\d{1,3}(?:st|nd|rd|th))\s+){1,4}`,
    ),
    behind: behind(String.raw`(?:\s+(?:NW|NE|SW|SE|N|S|E|W|North|South|East|West)\b)?${REST}`),
  },
  {
    // where do you live? 742 evergreen terrace
    word: /\b(?:street|avenue|ave|road|rd|boulevard|blvd|lane|drive|court|terrace|crescent|st)\b(?!\s(?:from|to|the|for)\b)/gu,
    before: before(String.raw`(?<=(?:\bat|\blives?|\bto|\bin|\bis|\baddress:?|\bhome:)\s)\d{1,5}[a-z]?\s+(?:[\p{L}\d'’]{2,20}\s){1,3}`),
    behind: behind(REST),
  },
  {
    // 12 bis, rue de la Paix, 75002 Paris
    word: /(?<=\s)(?:rue|avenue|av\.|boulevard|bd|bld|place|chemin|allée|allées|impasse|route|quai|cours|square|passage|faubourg|sentier|esplanade|ruelle|montée|Rue|Avenue|Boulevard|Place|Chemin|Allée|Impasse|Route|Quai)\s(?=\p{L})/gu,
    before: before(String.raw`(?<![\p{L}\d.,]|\d\s)${NUMBER}\s?,?\s+`),
    behind: behind(`${NAME}${REST}`),
  },
  {
    // Calle de Alcalá, 42, 3º B, 28014 Madrid; Rua Augusta 1200; Via Garibaldi 7
    word: /(?<![\p{L}\d])(?:[Cc]alle|C\/|c\/|[Aa]venida|[Aa]vda\.?|[Aa]v\.|[Pp]laza|[Pp]za\.?|[Pp]aseo|Pº|[Cc]arrera|[Cc]amino|[Cc]arretera|[Cc]tra\.?|[Rr]onda|[Tt]ravesía|[Gg]lorieta|[Rr]ambla|Gran Vía|[Cc]allejón|[Pp]asaje|[Cc]alzada|[Bb]ulevar|Privada|[Rr]ua|R\.|[Pp]raça|[Ll]argo|[Tt]ravessa|[Aa]lameda|[Ee]strada|[Rr]odovia|[Bb]eco|[Cc]alçada|[Pp]raceta|[Ll]adeira|Via|[Vv]iale|[Pp]iazza|[Pp]iazzale|[Pp]iazzetta|[Cc]orso|C\.so|[Vv]icolo|[Ss]trada|Lungotevere|Lungarno|[Cc]ontrada|(?<=(?:in|di|da|alla|indirizzo:?|è|abit[oa] in|,)\s)via)\s?(?=[\p{L}\d])/gu,
    behind: behind(
      String.raw`(?:${NAME}),?\s+(?:n[.ºo°]{1,2}\s?|núm\.?\s?|número\s|numero\s|No\.\s?|#\s?)?${NUMBER}(?!\s?(?:%|€|euros?|reais|de\s(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)))${REST}`,
    ),
  },
  {
    // Gran Vía 28; Carrera 7 # 71-21
    word: /(?<![\p{L}\d])(?:Gran Vía,?\s(?=\d)|(?:Carrera|Calle|Cra\.?|Cl\.?|Kra\.?|Transversal|Diagonal|Avenida)\s(?=\d{1,3}[A-Z]?\s(?:#|No\.?|n[.º°])))/gu,
    behind: behind(String.raw`(?:\d{1,3}[A-Z]?\s(?:#|No\.?|n[.º°])\s?\d{1,3}[A-Z]?\s?-\s?\d{1,3}|${NUMBER})${REST}`),
  },
  {
    // Hauptstraße 5, 10115 Berlin
    word: /(?:stra(?:ß|ss)e|str\.|weg|allee|gasse|platz|ring|damm|ufer|chaussee|steig|stieg|pfad|promenade)\s(?=\d)/gu,
    before: before(
      String.raw`(?<![\p{L}-])(?!(?:Park|Arbeits|Sitz|Steh|Stell|Spiel|Fu(?:ß|ss)ball|Sport|Camping|Studien|Ausbildungs|Markt|Um|Rad|Wander|Bahn|He|Box|Schul|Kita|Start|Fenster|Listen|Tabellen|Lade|Abstell|Zelt|Liege|Rechts|Heim|Aus|Rück|Flucht|Behandlungs|Auto|Bundes|Land|Lös|Klapp|Lebens|Dienst)$)\p{Lu}[\p{L}-]{1,40}`,
    ),
    behind: behind(GERMAN_REST),
  },
  {
    // Berliner Str. 12a, Alte Jakobstraße 4
    word: /(?<=\p{L}\s)(?:Stra(?:ß|ss)e|Str\.|Weg|Allee|Gasse|Platz|Ring|Damm|Ufer|Chaussee|Steig|Pfad)\s(?=\d)/gu,
    before: before(
      String.raw`(?<![\p{L}-])(?:(?:Alte|Alter|Neue|Neuer|Große|Großer|Kleine|Kleiner|Obere|Untere)\s)?\p{Lu}[\p{L}-]{2,40}\s`,
    ),
    behind: behind(GERMAN_REST),
  },
  {
    // 88 Kingsway, London WC2B 6AA; 3 The Larches, Austin, TX 78701
    word: /(?<=[\p{L},]\s)(?:[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}|[A-Z]{2}\s\d{5}(?:-\d{4})?)(?![\p{L}\d-])/gu,
    before: before(String.raw`(?<![\p{L}\d$€£.,:#]|\d\s)\d{1,5}[a-zA-Z]?\s(?:${WORD}\s){0,3}${WORD},\s${CITY},?\s`),
    behind: behind(""),
  },
  {
    // 350 Broadway
    word: /(?<=\d\s)(?:West |East )?Broadway(?!\s(?:shows?|plays?|musicals?|productions?|theat))/gu,
    before: before(String.raw`(?<![\p{L}\d$€£.,:#]|\d\s)\d{1,5}\s`),
    behind: behind(REST),
  },
  {
    // Am Markt 3, 04109 Leipzig; Unter den Linden 5
    word: /(?<![\p{L}])(?:Am|An der|An den|Auf dem|Auf der|Im|In der|In den|Zum|Zur|Hinter der|Hinter dem|Unter den|Vor dem|Kurfürstendamm|Jungfernstieg|Graben)\s(?=[\p{Lu}\d])/gu,
    behind: behind(String.raw`(?:${WORD}\s(?:${WORD}\s)?)?${NUMBER}(?:,?\s+(?:D-)?\d{5}\s${CITY})`),
  },
  {
    word: /(?<![\p{L}])(?:P\.?\s?O\.?\s?Box|PO Box|Post Office Box|Postfach|Apartado(?: de Correos)?|Apdo\.?|Boîte Postale|BP|Caixa Postal|Casella Postale|C\.P\.)\s(?=\d)/gu,
    behind: behind(String.raw`\d{1,6}(?!\d)${REST}`),
  },
];
const MAX_BEFORE = 90;
const MAX_BEHIND = 160;
/** "In 2019 Wall Street fell": the year is no house number. */
const YEAR =
  /(?:\b(?:in|since|by|until|during|from|of|after|before|late|early|summer|spring|winter|fall|march|may|june|july|en|em|im|nel)\s)(?:18|19|20)\d\d\s/iu;
/** "the top 10 Wall Street banks", "5 St Mary's players" */
const COUNTED =
  /\b(?:top|the|all|these|only|about|over|some|nearly|around|first|last|page|chapter|route|bus|line|room|level|number|no\.)\s$/i;

/** Postal addresses as they are written in English, Spanish, French, German, Portuguese and Italian. */
export const addresses: Finder = (text) => {
  if (!/\d/.test(text)) return [];
  const found = FORMS.flatMap((form) => [...text.matchAll(form.word)].flatMap((match) => addressAt(text, form, match) ?? []));
  return merged(found.sort((one, other) => one.start - other.start || other.end - one.end));
};

function addressAt(text: string, form: Form, { 0: word, index }: RegExpExecArray): Span | undefined {
  const behindWord = index + word.length;
  const seen = text.slice(behindWord, behindWord + MAX_BEHIND);
  if (form.before === undefined && !/\d/.test(seen)) return undefined; // most have no number at all
  const rest = form.behind.exec(seen);
  if (rest === null) return undefined;
  const end = behindWord + rest[0].trimEnd().replace(/[.,;:]+$/, "").length;
  if (form.before === undefined) return { start: index, end };
  const from = Math.max(0, index - MAX_BEFORE);
  const found = form.before.exec(text.slice(from, index));
  if (found === null) return undefined;
  const start = from + found.index;
  return isCounted(text, start, index) ? undefined : { start, end: text[end - 1] === "." ? end - 1 : end };
}
const isCounted = (text: string, start: number, word: number): boolean =>
  YEAR.test(text.slice(Math.max(0, start - 10), word)) || COUNTED.test(text.slice(Math.max(0, start - 10), start));

/** The first of those that overlap, which is the longest of those that begin together. */
function merged(spans: readonly Span[]): Span[] {
  const kept: Span[] = [];
  for (const span of spans) if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
  return kept;
}
