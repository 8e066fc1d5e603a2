import { isAfter, type Finder, type Span } from "./entity.ts";
import { spelledEmails } from "./spelled-email.ts";

/*
 * Found from their @, so that no text is read more than once: what may stand before it and behind it has a limit.
 * RFC 5321: 64 characters before, labels of at most 63 behind.
 */
const LOCAL = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u;
const DOMAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,6}(?:xn--[a-z0-9-]{2,30}|\p{L}{2,24})(?![\p{L}\p{N}-])/u;
/** `logo@2x.png` and `module@main.js` are names of files. */
const FILE = /\.(?:png|jpe?g|gif|svg|webp|ico|css|scss|m?js|tsx?|jsx?|json|ya?ml|html?|pdf|zip|lock|map|toml)$/i;
/** What such names begin with in prose is not part of them: `mailto:joe@…`, `'joe@…'`. */
const LEADING = /^(?:[.!#$%&'*+/=?^`{|}~-]+|(?:e-?mail|mail|to|from|cc|user)=|.*[/?&](?:[\w-]{1,20}=)?)+/i;
const MAX_DOMAIN = 255;

/** E-mail addresses, also those written as `joe (at) example (dot) com`. */
export const emails: Finder = (text) => {
  const found: Span[] = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const span = around(text, at);
    if (span && !isPartOfAddress(text, span)) found.push(span);
  }
  const spelled = spelledEmails(text).filter((span) => !found.some((other) => span.start < other.end && other.start < span.end));
  return [...found, ...spelled].sort((one, other) => one.start - other.start);
};

function around(text: string, at: number): Span | undefined {
  const local = LOCAL.exec(text.slice(Math.max(0, at - 64), at))?.[0].replace(LEADING, "");
  if (!local || local.endsWith(".")) return undefined;
  const domain = DOMAIN.exec(text.slice(at + 1, at + 1 + MAX_DOMAIN))?.[0];
  if (domain === undefined || FILE.test(domain)) return undefined;
  return { start: at - local.length, end: at + 1 + domain.length };
}

/** `https://user:word@host` and `git@host:path` name a machine, not a mailbox. */
const isPartOfAddress = (text: string, { start, end }: Span): boolean =>
  isAfter(text, start, /:\/\/[^\s/]{0,60}$/, 70) || /^:[\p{L}~/][^\s]*\//u.test(text.slice(end, end + 100));
