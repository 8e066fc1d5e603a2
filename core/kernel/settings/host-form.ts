import { isIP } from "node:net";

const LOOPBACK = /^(localhost|127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}|::1|\[::1\])$/i;
/** Is it an address that only this machine reaches? */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** What would be right, for errors about an address to listen on. */
export const HOST_EXAMPLES = "write an address of this machine: 127.0.0.1 for this machine only, 0.0.0.0 or :: for all that reach it";

/** Mistakes that are seen without asking a name server. */
const MISTAKES: readonly { readonly is: RegExp; readonly why: string }[] = [
  { is: /[/\s]|:\/\//, why: `it is no address but a URL or a path; ${HOST_EXAMPLES}, the port is PORT` },
  { is: /^[^:]+:\d+$/, why: `the port is a variable of its own, PORT; ${HOST_EXAMPLES}` },
  { is: /^\d+(\.\d+){3}$/, why: `it is no IPv4 address, whose four numbers are at most 255; ${HOST_EXAMPLES}` },
  { is: /:.*:/, why: `it is no IPv6 address; ${HOST_EXAMPLES}` },
];

/** An address in numbers, without the brackets of a URL. */
export const bareAddress = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** Why this can be no address to listen on; `undefined` when its form is right. */
export function hostMistake(host: string): string | undefined {
  const address = bareAddress(host);
  if (isIP(address) !== 0 || isLoopback(host)) return undefined;
  return MISTAKES.find(({ is }) => is.test(address))?.why;
}
