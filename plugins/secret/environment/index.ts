import { Type } from "@sinclair/typebox";
import { definePlugin, memberOfText, type SecretManager } from "#contract";

/** There is nothing to sign in with: the operator has set the variables. */
const AUTH = [Type.Object({}, { additionalProperties: false })];

/** Secrets that tenants keep in environment variables whose names begin as the operator says. */
export default definePlugin({
  kind: "secret",
  config: Type.Object(
    {
      prefix: Type.String({
        default: "",
        pattern: "^((?!GATEWAY_|DATABASE_|REDIS_)[A-Za-z_]([A-Za-z0-9_]|\\{organisation\\}){3,}_)?$",
        maxLength: 255,
        description:
          "What the names begin with that secret references may read, such as `TENANT_SECRET_`: no others are read. `{organisation}` in it stands for the organisation's id with `_` for its hyphens: without it, all organisations of the deployment may read the same. Empty: no variable is read.",
      }),
    },
    { additionalProperties: false },
  ),
  needs: [],
  setup: (_, { prefix }) => ({ provides: { manager: "environment", auth: AUTH, read: reader(prefix) } }),
});

const reader =
  (prefix: string): SecretManager["read"] =>
  async ({ organisationId, path, key }) => {
    if (prefix === "") return { missing: "the operator has not said in ENV_SECRETS_PREFIX which variables may be read" };
    const own = prefix.replaceAll("{organisation}", organisationId.replaceAll("-", "_"));
    if (!path.startsWith(own) || path.length === own.length) return { missing: `its path is no name that begins with ${own}` };
    const value = Object.hasOwn(process.env, path) ? process.env[path] : undefined;
    return value ? memberOfText(value, key) : { missing: "there is no such environment variable" };
  };
