import parsePhoneNumber, { type CountryCode, type PhoneNumber } from "libphonenumber-js/min";
import { type Finder, isAfter, type Span } from "./entity.ts";

/** Seven to about twenty digits and what people write between them. */
const CANDIDATE =
  /(?<![\p{L}\d_@#$€£]|\d[ .,:/-](?!\+)|[=/](?!\+))(?:\+|00)?\(?\+?\d[\d ()./\u00a0\u2009-]{5,22}\d(?![\p{L}\d_%$€£@]|[.,:]\d|[-/]\p{L})/gu;
const MAX_SHORTENED = 3;
/** E.164 */
const MAX_DIGITS = 15;

const PHONES =
  /(?:(?<![\p{L}\d])(?:tel|tfno|tlfno?|telf|tlf|t|ph|phones?|telefon\p{L}*|teléfonos?|téléphone|tél|telefones?|call(?:ed|ing)?|ring|text|texted|sms|mobile|cell|celular|celulare|móvil|movil|portable|handy|handynummer|mobil\p{L}*|cellulare|cell|telem[oó]vel|whats ?app|fax|dial|reach(?:ed)?|contact\p{L}*|kontakt\p{L}*|hotline|landline|voicemail|pager|extension|ll[aá]m\p{L}*|marca|marque|appel\p{L}*|joindre|joignable|rappel\p{L}*|ruf\p{L}*|anruf\p{L}*|rückruf|erreich\p{L}*|durchwahl|lig(?:a|ue|ar|o|ou|uem|ando)|chiam\p{L}*|signal|telegram|fijo|fixe|festnetz|fisso|fixo)(?![\p{L}\d])|[☎📞📱✆])/iu;
const NUMBERED = /(?<!\p{L})(?:numbers?|no\.|n[uú]mero|numéro|nummer|nr\.|nº|n°)[^\d\n]{0,15}$/iu;
const OTHERS =
  /(?<![\p{L}\d])(?:order|orders|invoice|isbn|issn|ean|imei|iban|swift|bic|tracking|parcel|serial|sku|ticket|case|reference|ref|account|acct|routing|policy|transaction|txn|batch|lot|model|part|patent|claim|license|licence|passport|vat|tax|timestamp|epoch|doi|rfc|orcid|zip|coordinates?|lat|lon|version|population|page|pages|pedido|referencia|factura|cuenta|dni|nif|cif|commande|facture|compte|siret|siren|référence|bestell\p{L}*|rechnung\p{L}*|konto\p{L}*|kunden\p{L}*|artikel\p{L}*|steuer\p{L}*|ordine|fattura|conto|partita|iva|fiscale|riferimento|encomenda|fatura|conta|cpf|cnpj|nota|protocolo|referência|id|order number|order no|lottery|winning)(?![\p{L}\d])[^\n]{0,20}$/iu;

/** Countries whose numbers are understood without their code, as the languages of the other finders are spoken there. */
const COUNTRIES: readonly CountryCode[] = ["US", "GB", "FR", "DE", "ES", "IT", "BR", "PT", "MX"];
/** More of them: a number of theirs has to be one that is given to somebody, not only one that could be. */
const MORE_COUNTRIES: readonly CountryCode[] = ["AU", "NZ", "IE", "NL", "BE", "CH", "AT", "AR", "CL", "CO", "PE", "IN", "JP", "ZA", "PL", "SE", "NO", "DK", "FI", "SG"]; // biome-ignore format: a list
/** Written as only numbers of phones are. */
const STRONG: readonly RegExp[] = [
  /^(?:\+?1[ .-]?)?\([2-9]\d\d\) ?\d{3}[ .-]\d{4}$/, // (415) 555-0132
  /^(?:1[ .-])?[2-9]\d\d([.-])[2-9]\d\d\1\d{4}$/, // 415-555-0132
  /^(?:1 )?[2-9]\d\d [2-9]\d\d[ -]\d{4}$/, // 415 555 0132
  /^0[1-9](?:([ .-]?)\d\d)(?:\1\d\d){3}$/, // 01 23 45 67 89
  /^0\d{2,4}[ /-]\d{3,8}(?:[ -]\d{2,5}){0,2}$/, // 020 7946 0958, 0151 23456789
  /^0\d[ -]\d{4}[ -]\d{4}$/, // 03-1234-5678, 02 9374 4000
  /^0[67][ -]\d{8}$/, // 06-12345678
  /^\(0\d{1,4}\) ?\d{3,8}(?:[ -]\d{2,5}){0,2}$/, // (020) 7946 0958
  /^\(?\d\d\)? ?9?\d{4}-\d{4}$/, // (11) 91234-5678
];

/** Phone numbers: with the code of any country, and national ones where a word or their form says what they are. */
export const phones: Finder = (text) => {
  const found: Span[] = [];
  for (const { 0: candidate, index } of text.matchAll(CANDIDATE)) {
    const value = longestPhone(text, trimmed(candidate), index);
    if (value !== undefined) found.push({ start: index, end: index + value.length });
  }
  return found;
};
/** A bracket that closes nothing belongs to the sentence. */
const trimmed = (candidate: string): string => candidate.replace(/[ ()./-]+$/, "");

/** What follows a number after a space may be another number. */
function longestPhone(text: string, candidate: string, start: number): string | undefined {
  let value = candidate;
  for (let tries = 0; tries < MAX_SHORTENED && value.length > 6; tries += 1) {
    if (isPhone(text, value, start)) return value;
    const last = Math.max(value.lastIndexOf(" "), value.lastIndexOf("/"));
    if (last < 0) return undefined;
    if (digitsOf(value.slice(last)).length > 2 && !/^[+(]/.test(value)) return undefined; // a longer number is no phone with something behind it
    value = trimmed(value.slice(0, last));
  }
  return undefined;
}

function isPhone(text: string, value: string, start: number): boolean {
  if (digitsOf(value).length > MAX_DIGITS || NO_PHONE.some((form) => form.test(value))) return false;
  if (/^\(?(?:\+|00)/.test(value)) return isInternational(value) && !isAfter(text, start, OTHERS);
  if (isAfter(text, start, OTHERS) && !isAfter(text, start, PHONES, 20)) return false;
  if (isAfter(text, start, PHONES) || isAfter(text, start, NUMBERED)) return isLocal(value) || isNational(value, "isPossible");
  return STRONG.some((form) => form.test(value)) && isNational(value, "isValid");
}
/** Days, hours, years, amounts, one digit again and again. */
const NO_PHONE: readonly RegExp[] = [
  /^\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2}(?:\D|$)/,
  /^\d{1,2}[-./ ]\d{1,2}[-./ ]\d{2,4}(?: \d{1,2})?$/,
  /^(?:19|20)\d\d\s?[-/]\s?(?:19|20)\d\d$/,
  /^\d{1,3}(?:\.\d{3})+$/,
  /^\d+\.\d+$/,
  /^97[89][- ]?\d/,
  /^(\d)(?:\D?\1)+$/,
  /^\d+(?: - | \/ )\d+$/,
  /^(?:\d+\D+){7}/,
];
function isInternational(value: string): boolean {
  const number = parsePhoneNumber(
    value
      .replace(/^\(?00/, "+")
      .replace(/^\(\+/, "+")
      .replace("(0)", ""),
  );
  return number?.isPossible() === true && number.nationalNumber.length > 6;
}
/** With nine digits or more it may be anybody's; Scandinavians and others have eight. */
const isNational = (value: string, judge: "isPossible" | "isValid"): boolean =>
  (digitsOf(value).length > 8 && COUNTRIES.some((country) => parsed(value, country)?.[judge]())) ||
  (digitsOf(value).length > 7 && MORE_COUNTRIES.some((country) => parsed(value, country)?.isValid()));
const parsed = (value: string, country: CountryCode): PhoneNumber | undefined => parsePhoneNumber(value, country);
const isLocal = (value: string): boolean => /^\d{3}[-. ]\d{4}$/.test(value);
const digitsOf = (value: string): string => value.replace(/\D/g, "");
