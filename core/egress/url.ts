import { GatewayError, unacceptableUrl } from "#contract";
import ipaddr from "ipaddr.js";
import { canonicalAddress, isPublicAddress } from "./address.ts";
import { isUnder, NEVER_ADDRESSES, NEVER_NAMES, NEVER_SUFFIXES, PRIVATE_PORTS, PRIVATE_SUFFIXES } from "./forbidden.ts";
import type { Trust } from "./trust.ts";

/** Where a URL leads, once its spelling has been judged. */
export interface Origin {
  readonly scheme: "http" | "https";
  /** Lower case; an address in canonical form, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isAddress: boolean;
  /** An operator vouches for it: no address judgement. */
  readonly trusted: boolean;
}

/** A URL taken apart as text: a parser would repair the tricks that are to be refused. */
export interface UrlParts {
  /** `https://host:port`, as spelt. */
  readonly origin: string;
  /** Path and query, starting with `/` or `?`, or empty. */
  readonly rest: string;
}

const MAX_URL = 16_384;
const ORIGIN = /^https?:\/\/[^/?]*/i;
/** Controls, space, backslash, fragment and everything outside ASCII. */
const UNCLEAN = /[^\x21-\x7e]|[\\#]/;
const AUTHORITY = /^(?:([a-z0-9_.-]+)|\[([0-9a-f:.]+)\])(?::(\d{1,5}))?$/i;
const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const DOTTED_QUAD = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
/** A last label like this makes URL parsers read the whole host as a number. */
const NUMERIC_LABEL = /^(?:\d+|0x[0-9a-f]*)$/;
const DEFAULT_PORT = { http: 80, https: 443 } as const;

export function splitUrl(url: string): UrlParts {
  if (url.length > MAX_URL) throw unacceptableUrl(`it is longer than ${MAX_URL} characters`);
  if (UNCLEAN.test(url)) throw unacceptableUrl("it holds a fragment, a backslash, or characters outside printable ASCII");
  const origin = ORIGIN.exec(url)?.[0];
  if (origin === undefined) throw unacceptableUrl("it does not start with http:// or https://");
  return { origin, rest: url.slice(origin.length) };
}

/** Judges scheme, host spelling, name, port and literal address. No network. */
export function judgeOrigin(text: string, trust: Trust): Origin {
  const [scheme, authority] = text.split("://", 2) as [string, string]; // splitUrl has seen to the form
  const [, name, ipv6, port] = AUTHORITY.exec(authority) ?? [];
  const host = ipv6 === undefined ? nameOf(name) : addressOf(ipv6);
  const origin = { scheme: scheme.toLowerCase() as Origin["scheme"], host, isAddress: ipv6 !== undefined || DOTTED_QUAD.test(host) };
  const number = port === undefined ? DEFAULT_PORT[origin.scheme] : Number(port);
  return { ...origin, port: number, trusted: judgeHost(host, number, origin.isAddress, trust) };
}

/** True when trusted; throws when forbidden. */
function judgeHost(host: string, port: number, isAddress: boolean, trust: Trust): boolean {
  const at = { host, port };
  if (port < 1 || port > 65_535) throw blocked(at, "a port is between 1 and 65535");
  if (isNever(host)) throw blocked(at, "it serves the secrets of a machine or a cluster, and no setting allows it");
  if (trust(host, port)) return true;
  if (PRIVATE_PORTS.has(port)) throw blocked(at, `its port is one of internal services. ${allowing(at)}`);
  if (isAddress ? !isPublicAddress(host) : !isPublicName(host)) throw notPublic(at);
  return false;
}

const isNever = (host: string): boolean =>
  NEVER_NAMES.has(host) || NEVER_ADDRESSES.has(host) || NEVER_SUFFIXES.some((suffix) => isUnder(host, suffix));

/** A name without a dot would be completed by the machine's search domains. */
const isPublicName = (name: string): boolean => name.includes(".") && !PRIVATE_SUFFIXES.some((suffix) => isUnder(name, suffix));

function nameOf(text: string | undefined): string {
  if (text === undefined)
    throw unacceptableUrl("its host may hold letters, digits, dots and hyphens only; no credentials, no encoded characters");
  const name = text.toLowerCase();
  const labels = name.split(".");
  if (labels.length > 10 || name.length > 253) throw unacceptableUrl("its host has too many parts");
  if (labels.some((label) => label === "" || label.length > 63))
    throw unacceptableUrl("its host has an empty or overlong part, or ends with a dot");
  if (labels.some((label) => label.startsWith("xn--"))) throw unacceptableUrl("its host is an internationalised name");
  if (NUMERIC_LABEL.test(labels.at(-1) ?? "") && !DOTTED_QUAD.test(name))
    throw unacceptableUrl("its host is a number; write an IPv4 address as four decimal parts");
  return name;
}

function addressOf(text: string): string {
  if (!ipaddr.IPv6.isValid(text)) throw unacceptableUrl("its host is not an IPv6 address");
  return canonicalAddress(text);
}

type Place = Pick<Origin, "host" | "port">;
const placeText = ({ host, port }: Place): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;
const blocked = (at: Place, why: string): GatewayError => new GatewayError("HOST_BLOCKED", { host: placeText(at), why });
const allowing = (at: Place): string => `An operator can allow it with GATEWAY_TRUSTED_HOSTS=${placeText(at)}`;
/** A name that is not found reads like one that leads to a private address: which names there are inside is nobody's business. */
export const notPublic = (at: Place): GatewayError =>
  blocked(at, `it is not a public address, nor a name that is found and leads to public ones only. ${allowing(at)}`);
