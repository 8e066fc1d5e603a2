import { isAfter, type Span } from "./entity.ts";

/*
 * E-mail addresses with words or brackets in the place of their signs: `joe (at) example (dot) com`, `joe arroba example
 * punto com`, `joe at gmail dot com`, `joe @ example.com`. "At" stands in many sentences: it needs a provider of mailboxes
 * behind it, a word for mail before it, or a name in front that is none of a sentence's words.
 */
const DOT = String.raw`(?:\s?[([{<]\s?(?:dot|punto|point|punkt|ponto|\.)\s?[)\]}>]\s?|\s(?:dot|punto|point|punkt|ponto)\s|\s?\.\s?)`;
const AT_SIGN =
  /\s?[([{<]\s?(?:at|arroba|arobase|arobas|chiocciola|klammeraffe|chez|ät|@)\s?[)\]}>]\s?|\s(?:arroba|arobase|arobas|chiocciola|klammeraffe)\s|\s(?<weak>at|@|ät|chez)\s|(?<=[\p{L}\d])(?<half>@\s|\s@)(?=[\p{L}\d])/giu;
/** Ends that addresses have. Without them "at the dot product" would be one. */
const ENDS =
  "com|org|net|edu|gov|info|biz|io|co|me|app|dev|ai|eu|us|uk|ca|au|nz|ie|de|at|ch|fr|be|es|mx|ar|cl|pe|it|pt|br|nl|pl|se|no|dk|fi|in|jp|cn|ru";
const DOMAIN = new RegExp(
  String.raw`^[\p{L}\d](?:[\p{L}\d-]{0,40}[\p{L}\d])?(?:${DOT}[\p{L}\d-]{2,40}){0,3}${DOT}(?:${ENDS})(?![\p{L}\d-])`,
  "iu",
);
const LOCAL =
  /(?<![\p{L}\d])[\p{L}\d_%+-][\p{L}\d._%+-]{0,40}(?:(?:\s(?:dot|punto|point|punkt|ponto|underscore|dash)\s)[\p{L}\d_%+-]{1,40}){0,3}$/iu;

const PROVIDERS =
  /^(?:gmail|googlemail|outlook|hotmail|yahoo|icloud|proton|protonmail|gmx|web|aol|live|msn|mail|fastmail|zoho|orange|wanadoo|laposte|free|sfr|libero|tiscali|alice|virgilio|uol|bol|terra|sapo|telefonica|t-online|posteo|freenet|yandex)(?![\p{L}\d])/iu;
const MAIL =
  /(?:(?<!\p{L})(?:e-?mails?|mails?|correos?|courriels?|inbox|posta|write (?:to|me)|reach(?:ed)? (?:me|him|her|us)|contact\p{L}*|address is|dirección es|adresse ist|adresse est|escr[ií]\p{L}+|écri\p{L}+|schreib\p{L}*|scriv\p{L}+|escrev\p{L}+)(?!\p{L}))[^\n]{0,30}$/iu;
/** Words that stand before "at" in sentences. */
const NO_LOCALS =
  /^(?:a|an|the|it|us|me|we|i|you|he|she|they|him|her|them|is|are|was|be|look|looking|looked|find|here|there|now|out|up|down|in|on|one|more|live|available|visit|based|online|site|website|page|pages|blog|docs|work|works|working|worked|hosted|store|shop|sold|meet|read|see|apply|sign|register|registered|posted|sales|and|or|to|of|mail|email|e-mail)$/i;

export const spelledEmails = (text: string): Span[] => [...text.matchAll(AT_SIGN)].flatMap((match) => addressAround(text, match) ?? []);

function addressAround(text: string, { 0: sign, index, groups }: RegExpExecArray): Span | undefined {
  const local = LOCAL.exec(text.slice(Math.max(0, index - 90), index))?.[0];
  if (local === undefined) return undefined;
  const behind = index + sign.length;
  const domain = DOMAIN.exec(text.slice(behind, behind + 120))?.[0];
  if (domain === undefined) return undefined;
  const start = index - local.length;
  const weak = groups?.["weak"] !== undefined || groups?.["half"] !== undefined;
  return weak && !isMeant(text, { local, domain, start }) ? undefined : { start, end: behind + domain.length };
}

interface Spelled {
  readonly local: string;
  readonly domain: string;
  readonly start: number;
}
const isMeant = (text: string, { local, domain, start }: Spelled): boolean =>
  !NO_LOCALS.test(local) && (PROVIDERS.test(domain) || /[\d._+]|\s/.test(local) || isAfter(text, start, MAIL, 50));
