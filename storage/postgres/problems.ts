import { GatewayError, messageOf } from "#contract";
import type { Config } from "./config.ts";
import { NO_BUNDLE, pem } from "./tls.ts";

interface Problem {
  readonly path: string;
  readonly why: string;
}

/** What is wrong with a configuration beyond its schema. */
export const problems = (config: Partial<Config>): readonly Problem[] => [
  ...(config.url === undefined ? [] : at("url", urlProblem(config.url))),
  ...(config.ssl === "Amazon RDS" && config.sslCa === undefined ? at("ssl", NO_BUNDLE) : []),
  ...PEMS.flatMap(([path, variable]) => at(path, pemProblem(variable, config[path]))),
];

const PEMS = [
  ["sslCa", "DB_SSL_CA"],
  ["sslCert", "DB_SSL_CERT"],
  ["sslKey", "DB_SSL_KEY"],
] as const;
const at = (path: string, why: string | undefined): readonly Problem[] => (why === undefined ? [] : [{ path, why }]);

const FORM = "write postgres://user:password@host:5432/database";
/** Several hosts may stand there, each with its port. */
function urlProblem(url: string): string | undefined {
  const hosts = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)?.[1] ?? "";
  if (/^[a-z]+:\/\/$/.test(url)) return `it names no host; ${FORM}`;
  if (!isDecodable(url)) return "it holds a % that begins no escape; write %25 for the character itself";
  const broken = hosts.split(",").some((host) => !URL.canParse(url.replace(hosts, () => host)));
  return broken ? `it is no URL (a port is at most 65535, and spaces or @ : / in a password are percent-encoded); ${FORM}` : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function pemProblem(variable: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  try {
    pem(variable, given);
    return undefined;
  } catch (thrown) {
    return GatewayError.is(thrown) ? String(thrown.details["why"]) : messageOf(thrown);
  }
}
