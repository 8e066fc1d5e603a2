import type { OptionHelp } from "./command-line.ts";

/** What a person is told of a command, and which options it takes. */
export interface CommandHelp {
  /** What stands behind its name, besides options. */
  readonly takes?: string;
  /** Its line in the list of all commands. */
  readonly summary: string;
  /** What it does, in full. */
  readonly about: string;
  readonly options: readonly OptionName[];
  readonly example: string;
  /** What the exit code 1 means; 0 is what `summary` promises, 2 a wrong command line. */
  readonly fails: string;
}

export type OptionName =
  | "profile"
  | "json"
  | "text"
  | "answer"
  | "request"
  | "response"
  | "parameters"
  | "type"
  | "url"
  | "key"
  | "owner"
  | "organisation"
  | "force";
export const OPTIONS: Readonly<Record<OptionName, OptionHelp>> = {
  profile: { takes: "<p>", about: "Deployment profile: default, minimal, full, or a path. Same as GATEWAY_PROFILE." },
  json: { about: "As JSON, with everything that a manifest says." },
  text: { takes: "<text>", about: "The text to judge, as a user's message." },
  answer: { about: "The text is a model's answer." },
  request: { takes: "<file>", about: "The body of a request, in a JSON file." },
  response: { takes: "<file>", about: "The body of an answer, in a JSON file; it is judged, not the request." },
  parameters: { takes: "<json>", about: "Parameters of the check." },
  type: { takes: "<type>", about: "The operation whose bodies these are. Default chatComplete." },
  url: { takes: "<url>", about: "Where the gateway is. Default: where HOST and PORT say." },
  owner: { takes: "<email>", about: "A person who is the organisation's owner from the start." },
  organisation: { takes: "<id>", about: "Look at this organisation's log alone." },
  force: { about: "Make it although there is one of that name." },
  key: { takes: "<key>", about: "A key with the scope guardrails.invoke. Same as GATEWAY_KEY." },
};

const SAME_ENVIRONMENT = "Give it the same environment as the gateway (GATEWAY_DATA_DIR, GATEWAY_PROFILE, GATEWAY_SECRET_KEY).";

export const COMMAND_HELP = {
  serve: {
    summary: "Start the gateway (the default).",
    about: `Listens on HOST and PORT (127.0.0.1 and 8787), and goes on until it is told to stop.

Signals
  SIGHUP                 Read profile and plugins again and swap without a break, in every worker; a failure, or a
                         plugin that would be lost, changes nothing. Only POST /admin/v2/generations can be forced.
  SIGTERM, SIGINT        Stop accepting, finish what is under way, close.`,
    options: ["profile"],
    example: "PORT=9000 gateway serve --profile ./profile.json",
    fails: "it could not start, or had to stop",
  },
  list: {
    summary: "Show every plugin: on or off, version, needs, and why it is off.",
    about: "Runs no code of any plugin: what only running shows (configuration, set-up) is told by gateway check.",
    options: ["json", "profile"],
    example: "gateway list --json",
    fails: "a plugin cannot be read or loaded",
  },
  check: {
    summary: "Judge the profile, all manifests and every configuration, without serving.",
    about: `Sets the plugins up over an empty database, and names what would keep them from starting. What is saved (configs,
guardrails) is looked at where the data folder has been used. What it could not judge it says.`,
    options: ["profile"],
    example: "gateway check --profile ./profile.json",
    fails: "something is wrong; each problem is a line on standard error",
  },
  hash: {
    takes: "<folder>",
    summary: "Print the content hash of a plugin, for the profile to pin.",
    about: "The folder is the one with the plugin's manifest.json. Runs none of its code.",
    options: [],
    example: "gateway hash ./plugins/ours",
    fails: "the manifest cannot be read",
  },
  keys: {
    takes: "narrow",
    summary: "Take from the first gateway key of an older build what is not data plane.",
    about: `Works beside a running gateway, whose processes hear of it at once.\n\n${SAME_ENVIRONMENT}`,
    options: ["profile"],
    example: "gateway keys narrow",
    fails: "the records could not be read or written",
  },
  organisations: {
    takes: "create <name>",
    summary: "Make another organisation, with a workspace and two keys.",
    about: `Makes an organisation with the workspace "default", an admin key and a gateway key, and prints both, this once.
Organisations share the deployment and see nothing of each other. Works beside a running gateway, whose processes hear of it
at once.\n\n${SAME_ENVIRONMENT}`,
    options: ["owner", "force", "profile"],
    example: 'gateway organisations create "Acme" --owner ada@acme.example',
    fails: "the organisation was not made",
  },
  audit: {
    takes: "verify",
    summary: "Check that the audit log is as it was written: nothing changed, nothing missing.",
    about: `Goes through every entry of every organisation's audit log: each holds the hash of the one before it, and the last
one is the one that the log ended with. Entries that were removed because of their age are not missed: the log says where
it begins since. Prints a line for each organisation and names the first entry that is not as it was written. Works beside
a running gateway.\n\n${SAME_ENVIRONMENT}`,
    options: ["organisation", "profile"],
    example: "gateway audit verify",
    fails: "an audit log is not as it was written, or could not be read",
  },
  guardrails: {
    takes: "try <check or guardrail>",
    summary: "Ask the running gateway what a check, or a saved guardrail, says of a text.",
    about: "No model is asked for an answer. A check is named by its id (default.regexMatch), a saved guardrail by its slug or id.",
    options: ["text", "answer", "request", "response", "parameters", "type", "url", "key"],
    example: `GATEWAY_KEY=… gateway guardrails try default.regexMatch --parameters '{"rule":"[0-9]","not":true}' --text "It is 7."`,
    fails: "it would not pass, or the gateway could not be asked",
  },
  backup: {
    takes: "<folder>",
    summary: "Copy all that the gateway keeps into a new folder, while it runs.",
    about: `Copies all that the gateway keeps (records, logs, log records that wait on disk for their store, blobs and the key
files of the data folder) into a new folder, while it runs. The copy is consistent and holds everything that was
acknowledged before the command began. The folder appears once the copy is whole and checked; a folder that is there and
not empty is never touched.

The copy holds secret.key, which opens every sealed secret in it: keep it as safe as the data folder.
Where records are in a database server, its own tools make the copy, and the command says so.

${SAME_ENVIRONMENT}
Put a copy back with: gateway restore <folder>`,
    options: ["profile"],
    example: "gateway backup /backups/2026-07-01",
    fails: "no copy was made; nothing was changed",
  },
  restore: {
    takes: "<folder>",
    summary: "Put such a copy in place, while no gateway uses the data folder.",
    about: `Puts the copy that "gateway backup" made in the place of what the data folder holds. Before anything is touched, the
copy is checked (that every file in it is as it was written, that this build understands it, that the secret key is the one
it was made with), and the command refuses while a gateway uses the data folder. What is replaced is kept in a folder
inside the data folder, replaced-<time>, also the log records that waited on disk for their store (spool): the gateway
writes those that the copy holds.

${SAME_ENVIRONMENT}`,
    options: ["profile"],
    example: "gateway restore /backups/2026-07-01",
    fails: "the copy is not in place; the message says whether anything was changed",
  },
  openapi: {
    summary: "Print the OpenAPI document of what this deployment serves.",
    about: "Sets the plugins up over an empty database and serves nobody. A running gateway serves the same at /openapi.json.",
    options: ["profile"],
    example: "gateway openapi > openapi.json",
    fails: "the deployment could not be set up",
  },
} as const satisfies Readonly<Record<string, CommandHelp>>;

export type CommandName = keyof typeof COMMAND_HELP;
/** The same rows, as the wide type. */
export const HELP_OF: Readonly<Record<CommandName, CommandHelp>> = COMMAND_HELP;
