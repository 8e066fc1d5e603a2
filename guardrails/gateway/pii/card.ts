import { type Finder, isAfter } from "./entity.ts";

/** Thirteen to nineteen digits, with at most one separator between two of them. */
const DIGITS = /\d(?:[ .\u00a0\u2009-]?\d){12,18}/g;
/** Written in one piece, in fours, or as American Express and Diners write theirs. */
const GROUPS = /^(?:\d{13,19}|\d{4}([ .\u00a0\u2009-])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|\d{4}([ .\u00a0\u2009-])\d{6}\2\d{4,5})$/;

/** Prefixes and lengths by brand (ISO/IEC 7812). */
const BRANDS: readonly RegExp[] = [
  /^4(?:\d{15}|\d{18})$/, // Visa
  /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/, // Mastercard
  /^3[47]\d{13}$/, // American Express
  /^(?:6011|65\d\d|64[4-9]\d)\d{12}(?:\d{3})?$/, // Discover
  /^3(?:0[0-5]|[689]\d)\d{11}(?:\d{2})?$/, // Diners
  /^35(?:2[89]|[3-8]\d)\d{12}$/, // JCB
  /^62\d{14,17}$/, // UnionPay
  /^(?:50|5[6-8]|6[37])\d{14}$/, // Maestro
  /^(?:60|65|81|82)\d{14}$/, // RuPay
  /^220[0-4]\d{12}$/, // Mir
];

const CARDS =
  /(?:(?<![\p{L}\d])(?:cards?|visa|master ?card|amex|american express|discover|diners|jcb|maestro|unionpay|cvv|cvc|exp|tarjetas?|cartes?|cart[aã]o|cartões|carta|debit\p{L}*|credit\p{L}*|cr[eé]dito|d[eé]bito)(?![\p{L}\d])|karte)/iu;
const OTHERS =
  /(?<![\p{L}\d])(?:imei|meid|iccid|isbn|ean|gtin|upc|barcode|order|orders|pedido|commande|bestell\p{L}*|ordine|encomenda|invoice|factura|facture|rechnung\p{L}*|fattura|fatura|tracking|parcel|shipment|env[ií]o|suivi|sendung\p{L}*|rastre\p{L}*|spedizione|serial|ticket|reference|ref|transaction|txn|trace|session|timestamp|device|meter|hash|checksum|seed|user id|account id|id)(?![\p{L}\d])/iu;

/** Numbers of payment cards: their form, their brand, their checksum, and no word that says that it is something else. */
export const cards: Finder = (text) =>
  [...text.matchAll(DIGITS)]
    .map(({ 0: value, index }) => ({ value, start: index, end: index + value.length }))
    .filter(
      ({ value, start, end }) =>
        isWhole(text, start, end) && GROUPS.test(value) && isCard(value.replace(/\D/g, "")) && !isOther(text, start, end),
    )
    .map(({ start, end }) => ({ start, end }));

const isWhole = (text: string, start: number, end: number): boolean =>
  !isAfter(text, start, /[\p{L}\d_#]$|\d[ .,-]$/u, 2) && !/^(?:[\p{L}\d_]|[ .,-]?\d)/u.test(text.slice(end, end + 2));
const isCard = (digits: string): boolean => !/^(\d)\1+$/.test(digits) && BRANDS.some((brand) => brand.test(digits)) && luhn(digits);

function luhn(digits: string): boolean {
  let sum = 0;
  for (let place = 1; place <= digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - place) - 48;
    sum += place % 2 === 1 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

/** With nothing between the word and the number, no card that is spoken of elsewhere changes what it is. */
const RIGHT_BEFORE = new RegExp(String.raw`${OTHERS.source}(?:\s?(?:number|no\.?|nr\.?|code|#))?[\s:#]{1,3}$`, "iu");

function isOther(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 40), start);
  if (RIGHT_BEFORE.test(before)) return true;
  return OTHERS.test(before) && !CARDS.test(before) && !CARDS.test(text.slice(end, end + 30));
}
