import type { Span } from "./entity.ts";
import { AMBIGUOUS, MORE_GIVEN, NO_NAMES, NOBODY, PLACES, THINGS, THINGS_BEFORE } from "./name-words.ts";
import lists from "./names.json";

const GIVEN: ReadonlySet<string> = new Set([...lists.given.split(" "), ...MORE_GIVEN]);
const FAMILY: ReadonlySet<string> = new Set(lists.family.split(" "));

/** A word with a capital, and what stands between it and the one before. */
interface Token extends Span {
  readonly word: string;
  /** Does it follow the one before with nothing but a space, an initial or a particle between them? */
  readonly joined: boolean;
  /** Is there an initial or a particle between them? */
  readonly particle: boolean;
  /** Does a sentence or a line begin with it? */
  readonly first: boolean;
}

const CAPITAL = /(?<![\p{L}\p{M}\d_@#/.-])(?:\p{Lu}['’])?\p{Lu}[\p{L}\p{M}]{1,40}(?:['’-]\p{Lu}[\p{L}\p{M}]{1,40}){0,3}/gu;
const JOINT =
  /^(?:[ \u00a0]|[ \u00a0](?:\p{Lu}\.[ \u00a0]?){1,3}|[ \u00a0](?:de|de la|de las|de los|del|da|das|do|dos|di|della|dalla|degli|du|des|van|van der|van den|von|von der|zu|le|la|bin|ibn|al|el|ter|ten)[ \u00a0]|\.?[ \u00a0]?(?:d['’]|D['’])|[ \u00a0]["“'(]\p{L}{2,15}["”')][ \u00a0])$/u;
const MAX_JOINT = 22;

/** Something that says that a name follows. */
const TITLE =
  /(?:^|[^\p{L}])(?:Mr\.?|Mrs\.?|Ms\.?|Miss|Mx\.|Dr\.?|Drs\.|Prof\.?|Professor|Doctor|Sir|Dame|Judge|Officer|Detective|Sgt\.|Capt\.|Lt\.|Rev\.|Sr\.|Sra\.?|Srta\.?|Señor|Señora|Señorita|Don|Doña|Dra\.?|M\.|Mme\.?|Mlle\.?|Monsieur|Madame|Mademoiselle|Maître|Me|Herr|Herrn|Frau|Hr\.|Fr\.|Senhor|Senhora|Dona|Seu|Signor|Signora|Signorina|Nurse|Coach|Uncle|Aunt|Tío|Tía|Tio|Tia|Oncle|Tante|Onkel|Zio|Zia|Pope|Papa|President|Senator|Governor|Mayor|Chancellor|Bundeskanzler|Bundeskanzlerin|Präsident|Presidente|Président|Ministre|Minister|Sig\.|Sig\.ra|Dott\.|Dott\.ssa|sig\.|sig\.ra|dott\.|dott\.ssa|prof\.|avv\.|ing\.|dr\.|sr\.|sra\.|mme|mlle|Dottor|Dottoressa|Avv\.|Ing\.|Abg\.|señor|señora|señorita|doña|doctor|doctora|profesor|profesora|monsieur|madame|docteur|professeur|senhor|senhora|dona|doutor|doutora|professora?|signor|signora|dottor|dottoressa|avvocato|ingegner)[ \u00a0](?:Dr\.|med\.|Prof\.|Doktor|Professor|[ \u00a0])*$/u;
const INTRODUCED =
  /(?:\bmy (?:full |legal |first |maiden )?name(?:'s| is|:)|\b(?:i am|i['’]m) called|\bnamed|\bname(?: is|:)|\b(?:customer|patient|employee|applicant|client|tenant|contact|recipient|passenger|guest|student|account holder|cardholder|beneficiary|signed|attn|from|sender|author|assignee|reported by|prepared by|approved by|cc):|\bme llamo|\bse llama|\bmi nombre(?: completo)? es|\b(?:nombre|titular|paciente|cliente|firmado|remitente|destinatario|contacto|solicitante|inquilino|empleado|empleada|alumno|alumna)(?: y apellidos)?:|\bje m['’]appelle|\bs['’]appelle|\bmon nom est|\b(?:nom|nom complet|patiente?|cliente?|titulaire|destinataire|expéditeur|salariée?|locataire|signé|prénom et nom):|\bich heiße|\bheißt|\bmein name ist|\b(?:name|kunde|kundin|patient|patientin|mieter|mieterin|empfänger|absender|ansprechpartner|ansprechpartnerin|mitarbeiter|mitarbeiterin|gez\.|unterzeichnet):|\bmeu nome(?: completo)? é|\bme chamo|\bchamo-me|\bse chama|\b(?:nome|nome completo|paciente|remetente|destinatário|assinado|titular|contato|contacto|inquilino|funcionário|funcionária|aluno|aluna):|\bmi chiamo|\bsi chiama|\bil mio nome è|\b(?:nome e cognome|nome|paziente|intestatario|mittente|firmato|referente|dipendente|inquilino|studente|studentessa):)\s*$/iu;
const ADDRESSED =
  /(?:^|[\n.!?,;:"“„«¡]\s*|^\s*)(?:dear|hi|hello|hey|hola|estimad[oa]|querid[oa]|bonjour|salut|bonsoir|ch(?:er|ère)|hallo|liebe[r]?|sehr geehrte[r]? (?:herr|frau)|moin|olá|oi|prezad[oa]|car[oa]|ciao|gentile|buongiorno|salve|egregio)[ \u00a0,]{1,2}$/iu;
const SIGNED =
  /(?:regards|sincerely|cheers|thanks|thank you|best|love|yours|truly|wishes|saludos?|atentamente|abrazos?|gracias|cordialement|amicalement|bien à vous|merci|salutations|gr(?:u|ü)(?:ß|ss)e?n?|lg|mfg|danke|abraços?|atenciosamente|cumprimentos|obrigad[oa]|saluti|grazie|cordialmente),?\s*\n\s*(?:[-–—]\s?)?$/iu;
const MAX_CUE = 45;

/**
 * Names of people: a given name of the lists with the capitals behind it, or any capitals behind a title or words that
 * introduce somebody. The lists are of names in English, Spanish, French, German, Portuguese and Italian.
 */
export function* names(text: string): Generator<undefined, Span[]> {
  const tokens = tokensOf(text);
  const inText = { text, tokens, german: isGerman(text) };
  const found: Span[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (at % TOKENS_AT_ONCE === TOKENS_AT_ONCE - 1) yield;
    const last = lastOfName(inText, at);
    if (last === NOBODYS) at = lastJoined(inText, at);
    if (last < at) continue;
    found.push({ start: tokenAt(tokens, at).start, end: tokenAt(tokens, last).end });
    at = last;
  }
  return [...found, ...lowerCase(text)].sort((one, other) => one.start - other.start);
}
/** Capitals before others have their turn: what stands before and behind each is read with long patterns. */
const TOKENS_AT_ONCE = 64;

function tokensOf(text: string): readonly Token[] {
  let before = 0;
  return [...text.matchAll(CAPITAL)].map(({ 0: word, index }) => {
    const gap = text.slice(before, index);
    const joined = before > 0 && gap.length <= MAX_JOINT && JOINT.test(gap);
    before = index + word.length;
    const first = /(?:^|[.!?…:;•*\n"“„«¿¡(]\s*|[-–—]\s)$/.test(text.slice(Math.max(0, index - 3), index));
    return { word, start: index, end: before, joined, particle: joined && gap.length > 2, first };
  });
}
/** Asked for tokens that are there. */
const tokenAt = (tokens: readonly Token[], at: number): Token => tokens[at] as Token;

/** A text with its capitals. */
interface InText {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Every noun has a capital in German. */
  readonly german: boolean;
}

/** The token that a name which begins here ends with; before its first when none does. */
function lastOfName(inText: InText, at: number): number {
  const { text, tokens } = inText;
  const token = tokenAt(tokens, at);
  if (NO_NAMES.has(token.word) || NO_NAMES.has(quiet(token.word))) return -1;
  const cue = text.slice(Math.max(0, token.start - MAX_CUE), token.start);
  const last = lastJoined(inText, at);
  if (isNobody(inText, at, last)) return NOBODYS;
  if (TITLE.test(cue) || isIntroduced(cue, text, token)) return last;
  if (!isGiven(token.word)) return -1;
  if (isBehindThing(inText, at, cue)) return NOBODYS;
  if (last > at && isFullName(inText, at, last)) return last;
  return standsAlone(inText, at) ? at : -1;
}

/** No person's: neither are the names that follow it. */
const NOBODYS = -2;

function isIntroduced(cue: string, text: string, { word, end }: Token): boolean {
  if (INTRODUCED.test(cue))
    return isGiven(word) || isFamily(word) || (!isLoud(word) && !/^\p{L}*\p{Ll}\p{Lu}/u.test(word + text.slice(end, end + 2)));
  if (SIGNED.test(cue))
    return (
      word.length > 2 && (isGiven(word) || FAMILY.has(word) || /^(?:[ \u00a0]\p{Lu}\p{Ll}+)?\s*(?:\n|$)/u.test(text.slice(end, end + 30)))
    );
  return ADDRESSED.test(cue) && (GIVEN.has(word) || (FAMILY.has(word) && /^[,!]/.test(text.slice(end, end + 1))));
}

/** Hyphened names by their first part; names in capitals throughout as if they were not. */
function isGiven(word: string): boolean {
  return GIVEN.has(word) || (/['’-]/.test(word) && GIVEN.has(word.split(/['’-]/)[0] ?? "")) || (isLoud(word) && GIVEN.has(quiet(word)));
}
const isFamily = (word: string): boolean =>
  FAMILY.has(word) || /^(?:O['’]|Mac|Mc)\p{Lu}/u.test(word) || (isLoud(word) && FAMILY.has(quiet(word)));
const isLoud = (word: string): boolean => word.length > 1 && word === word.toUpperCase();
const quiet = (word: string): string => word.charAt(0) + word.slice(1).toLowerCase();

const MOST_TOKENS = 4;
/** Capitals that go on. In German, and in a text that shouts, only what is known to be a name goes on, or what a particle joins. */
function lastJoined({ tokens, german }: InText, at: number): number {
  const loud = isLoud(tokenAt(tokens, at).word);
  let last = at;
  for (let next = tokens[last + 1]; next?.joined && last - at < MOST_TOKENS - 1; next = tokens[last + 1]) {
    const particle = PARTICLES.has(next.word) && tokens[last + 2]?.joined === true;
    if (!particle && (NO_NAMES.has(next.word) || NO_NAMES.has(quiet(next.word)))) break;
    if (
      !particle &&
      (german || loud || isLoud(next.word)) &&
      !next.particle &&
      !isFamily(next.word) &&
      !isGiven(next.word) &&
      !(german && FAMILY_END.test(next.word))
    )
      break;
    last += 1;
  }
  return last;
}
const PARTICLES: ReadonlySet<string> = new Set([
  "De",
  "Di",
  "Del",
  "Della",
  "Dal",
  "Da",
  "Dos",
  "Du",
  "La",
  "Le",
  "Lo",
  "Van",
  "Von",
  "Mc",
  "St",
  "El",
  "Al",
]);
const FAMILY_END = /(?:mann|ert|ing|sky|ski|czyk|ić|son|sen|ner|ler|ger|ter|brecht|berger|bauer|meier|meyer|maier|müller)$/;

/** An institution, a place, a brand: by its other words, or by what it is known for. */
function isNobody({ text, tokens }: InText, at: number, last: number): boolean {
  const { end } = tokenAt(tokens, last);
  const owned = /^['’]s?\s(\p{Lu}\p{L}+|disease|syndrome|law|theorem)/u.exec(text.slice(end, end + 20))?.[1];
  const list = tokens.slice(at, last + 1).map(({ word }) => word);
  return (
    list.some((word, index) => word.split("-").some((part, place) => index + place > 0 && THINGS.has(part))) ||
    isThingAhead(tokens, last + 1) ||
    (owned !== undefined && (THINGS.has(owned) || /^\p{Ll}/u.test(owned))) ||
    NOBODY.has(list.slice(0, 2).join(" ")) ||
    NOBODY.has(`${tokens[at - 1]?.word} ${list[0]}`) ||
    /^\s&\s\p{Lu}/u.test(text.slice(end, end + 4)) ||
    /\p{L}\s&\s$/u.test(text.slice(Math.max(0, tokenAt(tokens, at).start - 5), tokenAt(tokens, at).start))
  );
}
/** "Konrad Adenauer Stiftung": in German the capitals go on behind what is known to be a name. */
function isThingAhead(tokens: readonly Token[], from: number): boolean {
  for (let at = from; at < from + 2 && tokens[at]?.joined; at += 1) if (THINGS.has(tokenAt(tokens, at).word)) return true;
  return false;
}
/** "Hospital María", "place Victor Hugo", "St. Mary's", and any capital that goes before and begins no sentence. */
function isBehindThing({ tokens, german }: InText, at: number, cue: string): boolean {
  if (/(?:^|\s)(?:St|Ste|Sta|Sto|Mt)\.\s$/.test(cue)) return true;
  const small = /(?:^|[\s'’])(\p{Ll}{3,12})\s$/u.exec(cue)?.[1];
  if (small !== undefined && THINGS_BEFORE.has(small.charAt(0).toUpperCase() + small.slice(1))) return true;
  const before = tokens[at - 1];
  if (before === undefined || !tokenAt(tokens, at).joined) return false;
  return THINGS_BEFORE.has(before.word) || (!german && !before.first && !isGiven(before.word) && !NO_NAMES.has(before.word));
}
/** A known family name; or any other capital behind a given name that is nothing else, or that begins no sentence. */
function isFullName({ tokens }: InText, at: number, last: number): boolean {
  const { word, first } = tokenAt(tokens, at);
  const given = quiet(word);
  const rest = tokens.slice(at + 1, last + 1).map((token) => token.word);
  if (rest.some(isFamily) && !(PLACES.has(given) && first)) return true;
  return !AMBIGUOUS.has(given) || (!first && !PLACES.has(given) && !rest.some((name) => name.endsWith("s")));
}
/** "Tom and Rebecca": beside another name a short one is meant, too. */
function standsAlone({ text, tokens }: InText, at: number): boolean {
  const { word, first, end } = tokenAt(tokens, at);
  if (isLoud(word) || AMBIGUOUS.has(word)) return false;
  const next = tokens[at + 1];
  const isPaired = next !== undefined && GIVEN.has(next.word) && /^\s(?:and|&|y|e|et|und)\s$/.test(text.slice(end, next.start));
  return word.length > (first && !isPaired ? 3 : 2);
}

const GERMAN =
  /(?<!\p{L})(?:der|die|das|und|ist|nicht|mit|für|ich|ein|eine|auf|wir|zu|von|dem|den|hat|sie|bei|im|am|in der|wohnt|oder|war|dass)(?!\p{L})/giu;
/** Enough little words of it: one for each fifty characters. */
function isGerman(text: string): boolean {
  const sample = text.slice(0, 2_000);
  return (sample.match(GERMAN)?.length ?? 0) * 50 > sample.length;
}

/** "my name is john smith": where somebody says so, small letters will do. */
const SMALL =
  /(?<!\p{L})(?:my name is|i['’]m called|me llamo|mi nombre es|je m['’]appelle|ich heiße|mein name ist|meu nome é|me chamo|mi chiamo)\s+(\p{Ll}[\p{L}'’-]{1,20}(?:\s\p{Ll}[\p{L}'’-]{1,20})?)/giu;
function lowerCase(text: string): Span[] {
  return [...text.matchAll(SMALL)].flatMap(({ 0: whole, 1: name = "", index }) => {
    const [given = "", family = ""] = name.split(" ");
    if (!GIVEN.has(capital(given)) || name.charAt(0) !== name.charAt(0).toLowerCase()) return [];
    const end = index + whole.length - (family !== "" && !FAMILY.has(capital(family)) ? family.length + 1 : 0);
    return [{ start: index + whole.length - name.length, end }];
  });
}
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
