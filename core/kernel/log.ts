import { type HostBase, isJson, type Logger } from "#contract";
import { hiddenSecrets } from "./hidden.ts";
import type { Environment } from "./settings.ts";

/** The process log: one JSON line per event, with nothing in it that must stay secret. */
export interface ProcessLog {
  readonly log: Logger;
  /** A logger whose lines name the plugin. */
  named(plugin: string): Logger;
  /** From now on this value is shown as `[redacted]` wherever it appears. */
  hide(secret: string): void;
  redact(text: string): string;
  /** The same for every string inside a value of plain data; members called like a secret lose their text. */
  redactValue(value: unknown): unknown;
}
export type Level = Parameters<Logger>[0];
const LEVELS: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Members whose text is never shown, by name: the well-known credential headers and what is called like a secret. */
const SECRET_NAME =
  /(^|[-_.])(authorization|proxy-authorization|cookie|set-cookie|api[-_]?key|x-gateway-api-key|secret|password|passwd|token|credentials?|private[-_]?key)$/i;
/** A value that contains itself ends here. */
const MAX_DEPTH = 32;
const REDACTED = "[redacted]";

export function createLog(options: { level: Level; now: HostBase["now"]; write(line: string): void }): ProcessLog {
  const { hide, redact } = hiddenSecrets();
  const redactValue = (value: unknown, name = "", depth = 0): unknown => {
    if (typeof value === "string") return SECRET_NAME.test(name) ? REDACTED : redact(value);
    if (depth > MAX_DEPTH) return "[too deep]";
    if (Array.isArray(value)) return value.map((item) => redactValue(item, "", depth + 1));
    if (!isJson(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactValue(item, key, depth + 1)]));
  };
  const logger =
    (base: Readonly<Record<string, unknown>>): Logger =>
    (level, event, fields) => {
      if (LEVELS[level] < LEVELS[options.level]) return;
      const line = { time: new Date(options.now()).toISOString(), level, event, ...base, ...fields };
      options.write(asText(line, redact));
    };
  return { log: logger({}), named: (plugin) => logger({ plugin }), hide, redact, redactValue: (value) => redactValue(value) };
}

/** JSON of anything a plugin may log: cycles, big integers and throwing getters included. */
function asText(line: Readonly<Record<string, unknown>>, redact: (text: string) => string): string {
  try {
    return JSON.stringify(line, (name, value: unknown) => plain(name, value, redact));
  } catch {
    return JSON.stringify({ time: line.time, level: line.level, event: line.event, plugin: line.plugin, unloggable: true });
  }
}

function plain(name: string, value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return SECRET_NAME.test(name) ? REDACTED : redact(value);
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Headers) return Object.fromEntries(value);
  if (value instanceof Error)
    return { name: value.name, message: value.message, stack: value.stack, ...(value.cause === undefined ? {} : { cause: value.cause }) };
  return value;
}

/** Hides what the environment holds that is called like a secret, and the passwords inside its URLs. */
export function hideEnvironment(env: Environment, hide: ProcessLog["hide"]): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (/(KEY|SECRET|PASSWORD|PASS|TOKEN|CREDENTIALS?)$/i.test(name) && !/^(PATH|PWD)$/.test(name)) hide(value);
    const password = URL.canParse(value) ? new URL(value).password : "";
    for (const form of [password, decoded(password)]) hide(form);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % is part of the password
  }
}
