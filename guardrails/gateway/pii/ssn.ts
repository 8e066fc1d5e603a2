import type { Finder } from "./entity.ts";

/** Area, group and serial: no 000, 666 or 9xx; no 00; no 0000. */
const FORM = /(?<![\p{L}\d_/.#-]|\d )(?!000|666|9)\d{3}([- .]?)(?!00)\d{2}\1(?!0000)\d{4}(?![\p{L}\d_]|[-.,/]\d)/gu;
const NAMED =
  /(?:(?<!\p{L})ssns?(?!\p{L})|\bss ?#|\bs\.s\.n|social[\s-]+sec|soc(?:ial)?\.?\s+sec|\bsocial\b|seguro social|seguridad social|s[eé]curit[eé] sociale|sozialversicherung|previd[eê]ncia|segurança social|sicurezza sociale|taxpayer)/iu;
const OTHERS =
  /(?<![\p{L}\d])(?:order|orders|invoice|parts?|sku|model|serial|ticket|case|ref|reference|tracking|batch|lot|item|catalog\p{L}*|product|room|locker|account|acct|policy|permit|license|licence|phone|tel|fax|call|pedido|nota|referencia|factura|commande|facture|référence|bestell\p{L}*|rechnung\p{L}*|artikel\p{L}*|teil\p{L}*|ordine|fattura|articolo|encomenda|fatura|artigo|code|código|codice|version|build|id|no)(?![\p{L}\d])[^\n]{0,15}$/iu;

/** Where no word names it: it stands alone, or behind a word that names nothing. A noun would say whose number it is, in any language. */
const FREE =
  /(?:^|[:,;()[\]"'=|/\n>.!?–—-]|(?<!\p{L})(?:of|is|was|are|for|to|as|with|and|or|by|use|enter|does|did|do|match(?:es)?|verify|check|have|has|had|lists?|shows?|says?|reads?|that|than|from|\p{L}+ed))\s*$/iu;

/** Social security numbers of the United States: with hyphens also where nothing names them otherwise. */
export const ssns: Finder = (text) =>
  [...text.matchAll(FORM)]
    .filter(({ 0: value, 1: separator, index }) => {
      const before = text.slice(Math.max(0, index - 45), index);
      if (NAMED.test(before) || NAMED.test(text.slice(index + value.length, index + value.length + 25))) return true;
      return separator === "-" && FREE.test(before) && !OTHERS.test(before);
    })
    .map(({ 0: value, index }) => ({ start: index, end: index + value.length }));
