import type { TObject } from "@sinclair/typebox";
import { LRUCache } from "lru-cache";
import { type HeaderClasses, headerClasses, type HostBase, isJson, type Json, type Logger } from "#contract";
import { hiddenSecrets } from "../secrets/hidden.ts";
import type { Environment } from "../settings/settings.ts";

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

/** Members whose text is never shown, by name: what is called like a secret. Credential headers are a table of their own. */
const SECRET_NAME =
  /(^|[-_.])(authorization|cookie|api[-_]?key|secret([-_]?access)?([-_]?key)?|password|passwd|token|credentials?|private[-_]?key|service[-_]?account([-_]?json)?)$/i;
/** The same inside a name written together, as in `clientSecret`. */
const SECRET_HUMP = /[a-z\d](Secret(Key)?|Password|Token|ApiKey|PrivateKey|AccessKey|Credentials?)$/;
/** Names come from clients: neither more nor longer ones than these are remembered. */
const MAX_JUDGED = 2_000;
const MAX_JUDGED_CHARS = 128;
/** Says it of names; the same few come again and again. */
function secretNames(headers: HeaderClasses): (name: string) => boolean {
  const judged = new LRUCache<string, boolean>({ max: MAX_JUDGED });
  return (name) => {
    const remembered = judged.get(name);
    if (remembered !== undefined) return remembered;
    const isSecret = SECRET_NAME.test(name) || SECRET_HUMP.test(name) || headers.of(name.toLowerCase()).class === "credential";
    if (name.length <= MAX_JUDGED_CHARS) judged.set(name, isSecret);
    return isSecret;
  };
}
/** A value that contains itself ends here. */
const MAX_DEPTH = 32;
const REDACTED = "[redacted]";

export interface LogOptions {
  readonly level: Level;
  readonly now: HostBase["now"];
  write(line: string): void;
  /** Members of every line: which of several processes speaks. */
  readonly of?: Readonly<Record<string, unknown>>;
  /** What a header's name says of it; default: without aliases. */
  readonly headers?: HeaderClasses;
}

export function createLog(options: LogOptions): ProcessLog {
  const { hide, redact } = hiddenSecrets();
  const isSecretName = secretNames(options.headers ?? headerClasses([]));
  const redactValue = (value: unknown, name = "", depth = 0): unknown => {
    if (typeof value === "string") return isSecretName(name) ? REDACTED : redact(value);
    if (depth > MAX_DEPTH) return "[too deep]";
    if (Array.isArray(value)) return redactItems(value, depth);
    return isJson(value) ? redactMembers(value, depth) : value;
  };
  /** What holds nothing to hide is given back itself: most of what is judged does not. */
  const redactItems = (items: readonly unknown[], depth: number): readonly unknown[] => {
    let shown: unknown[] | undefined;
    for (let index = 0; index < items.length; index += 1) {
      const item = redactValue(items[index], "", depth + 1);
      if (item !== items[index]) (shown ??= [...items])[index] = item;
    }
    return shown ?? items;
  };
  const redactMembers = (value: Json, depth: number): Json => {
    let shown: Json | undefined;
    for (const name of Object.keys(value)) {
      const member = value[name];
      const item = redactValue(member, name, depth + 1);
      if (item !== member) (shown ??= { ...value })[name] = item;
    }
    return shown ?? value;
  };
  const logger =
    (base: Readonly<Record<string, unknown>>): Logger =>
    (level, event, fields) => {
      if (LEVELS[level] < LEVELS[options.level]) return;
      const line = { time: new Date(options.now()).toISOString(), level, event, ...options.of, ...base, ...fields };
      options.write(asText(line, redact, isSecretName));
    };
  return { log: logger({}), named: (plugin) => logger({ plugin }), hide, redact, redactValue: (value) => redactValue(value) };
}

/** JSON of anything a plugin may log: cycles, big integers and throwing getters included. */
function asText(
  line: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
  isSecretName: (name: string) => boolean,
): string {
  try {
    return JSON.stringify(line, (name, value: unknown) =>
      typeof value === "string" && isSecretName(name) ? REDACTED : plain(value, redact),
    );
  } catch {
    return JSON.stringify({ time: line.time, level: line.level, event: line.event, plugin: line.plugin, unloggable: true });
  }
}

function plain(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
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
    hidePassword(value, hide);
  }
}

/** Hides the values of a configuration whose schema calls them secret, and the passwords inside its URLs. */
export function hideConfiguration({ properties }: TObject, config: Json, hide: ProcessLog["hide"]): void {
  for (const [member, value] of Object.entries(config)) {
    if (typeof value !== "string" || properties[member]?.["secret"] !== true) continue;
    hide(value);
    hidePassword(value, hide);
  }
}

/** The password of a URL, as it is written there and as it is sent. */
function hidePassword(text: string, hide: ProcessLog["hide"]): void {
  const password = URL.canParse(text) ? new URL(text).password : "";
  for (const form of [password, decoded(password)]) hide(form);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % is part of the password
  }
}
