import ipaddr from "ipaddr.js";
import type { Finder, Span } from "./entity.ts";

const V4 = /(?<![\w.@])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\w|-[A-Za-z])/g;
const V6 = /(?<![\w:.])[0-9a-fA-F:]{2,39}(?:\.\d{1,3}){0,3}(?![\w:]|\.\w)/g;

/** Addresses of machines: IPv4 and IPv6; numbers of versions and sections have the same form and other words before them. */
export const ipAddresses: Finder = (text) => {
  const long = text.includes(":") ? v6(text) : [];
  const short = v4(text).filter(({ end }) => !long.some((other) => end === other.end)); // ::ffff:192.0.2.1 ends with one
  return [...long, ...short].sort((one, other) => one.start - other.start);
};

function v4(text: string): Span[] {
  return [...text.matchAll(V4)]
    .map(({ 0: value, index }) => ({ value, start: index, end: index + value.length }))
    .filter(({ value, start, end }) => value.split(".").every(isOctet) && !isVersion(text, start, end));
}
const isOctet = (digits: string): boolean => Number(digits) <= 255 && (digits === "0" || !digits.startsWith("0"));

const VERSIONS =
  /(?:(?<![\p{L}\d])(?:vers\p{L}*|ver|release|build|firmware|driver|sdk|rev|patch|kernel|chrome|firefox|edge|safari|android|windows|office|java|python|library|package|plugin|upgrad\p{L}*|downgrad\p{L}*|updated?|actualiz\p{L}*|atualiz\p{L}*|aggiorna\p{L}*|aktualisier\p{L}*|mise à jour|section|clause|chapter|article|art|figure|fig|table|appendix|annex|paragraph|requirement|heading|step|oid|secci[oó]n|apartado|cap[ií]tulo|art[ií]culo|abschnitt|kapitel|ziffer|absatz|se[cç]{1,2}[aã]o|artigo|sezione|articolo|paragrafo|capitolo|chapitre|alinéa|punto|punkt|v)(?![\p{L}\d])|§|[=<>~^]=|[~^]|\p{L}\/)(?:[^.\n]|\.(?=\d)){0,35}$/iu;
const MACHINES =
  /\b(?:ip|ipv4|address|addr|host|server|ping|dns|subnet|gateway|router|client|login|node|proxy|peer|adresse|direcci[oó]n|endere[cç]o|indirizzo|servidor|serveur|remote|blocked|firewall)\b/iu;
function isVersion(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 40), start);
  if (MACHINES.test(before)) return false;
  return (
    VERSIONS.test(before) ||
    /^(?:[^.\n]|\.(?=\d)){0,50}(?<!\p{L})(?:version|release|build|update|beta|rc\d|upgrade|patch)/iu.test(text.slice(end, end + 65))
  );
}

/** Hours and MAC addresses have colons too; `a::b` without a figure is somebody's source code. */
function v6(text: string): Span[] {
  return [...text.matchAll(V6)]
    .map(({ 0: value, index }) => ({ value: withoutEnd(value), start: index }))
    .filter(({ value }) => value.split(":").length > 2 && /\d/.test(value) && ipaddr.IPv6.isValid(value))
    .map(({ value, start }) => ({ start, end: start + value.length }));
}
/** A colon that ends a clause. */
const withoutEnd = (value: string): string => (/[^:]:$/.test(value) ? value.slice(0, -1) : value);
