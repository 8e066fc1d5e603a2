/** A command line that asks for something there is not. */
export class UsageError extends Error {}

export const HELP = `The AI gateway.

  gateway [command] [options]

Commands
  serve                  Start the gateway (the default).
  list [--json]          Show every plugin: on or off, version, needs, and why it is off.
  check                  Judge the profile, all manifests and every configuration, without serving.
  hash <folder>          Print the content hash of a plugin, for the profile to pin.
  keys narrow            Take from the first gateway key of an older build what is not data plane. Works beside a running gateway.
  backup <folder>        Copy all that the gateway keeps into a new folder, while it runs.
  restore <folder>       Put such a copy in place, while no gateway uses the data folder.
  openapi                Print the OpenAPI document of what this deployment serves.
  new <kind> <id>        Make a new plugin from the template (source tree only).
  build [--profile p]    Compile one executable (source tree only).
  help                   Show this.

Options of serve, list, check, keys, backup, restore and openapi
  --profile <p>          Deployment profile: default, minimal, full, or a path. Same as GATEWAY_PROFILE.

Environment (the README has them all)
  HOST, PORT             Where to listen. Default 127.0.0.1 and 8787.
  GATEWAY_DATA_DIR       Where the embedded database and the keys are. Default ./data.
  GATEWAY_ADMIN_KEY      Presets the admin key. Needed to listen on other than a loopback address.
  DATABASE_URL, REDIS_URL  Use PostgreSQL and Redis instead of the embedded storage.

Signals
  SIGHUP                 Read profile and plugins again and swap without a break, in every worker; a failure, or a
                         plugin that would be lost, changes nothing. Only POST /admin/v2/generations can be forced.
  SIGTERM, SIGINT        Stop accepting, finish what is under way, close.

Exit codes: 0 done, 1 failed, 2 wrong command line.`;
