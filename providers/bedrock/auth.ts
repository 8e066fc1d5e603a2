import { GatewayError, type Target } from "#contract";

/** An AWS access key; a temporary one has a session token. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly sessionToken: string | null;
}
/** How one request proves who asks. */
export type Auth =
  | { readonly type: "bearer"; readonly key: string }
  | { readonly type: "key"; readonly key: AccessKey }
  /** `key` may assume the role; `null`: the gateway's own identity may. */
  | { readonly type: "role"; readonly arn: string; readonly externalId: string | null; readonly key: AccessKey | null }
  /** The gateway's own role, where its operator lends it. */
  | { readonly type: "own" }
  /** Nothing was given: for a custom host that signs by itself. */
  | { readonly type: "none" };

/** What the target's fields mean. Throws TARGET_INVALID when they are not enough. */
export function authOf(at: Target): Auth {
  const { aws_auth_type: authType = impliedType(at) } = at.fields;
  return TYPES[String(authType)]?.(at) ?? nothing(at);
}
function nothing({ customHost }: Target): Auth {
  if (customHost !== null) return { type: "none" };
  return incomplete("aws_access_key_id", "and aws_secret_access_key, or a Bedrock API key, are needed");
}
const impliedType = ({ fields, apiKey }: Target): string => {
  if (fields.aws_access_key_id !== undefined || fields.aws_secret_access_key !== undefined) return "accessKey";
  return apiKey === "" ? "none" : "apiKey";
};

const TYPES: Readonly<Record<string, (at: Target) => Auth>> = {
  accessKey: ({ fields }) => ({ type: "key", key: accessKey(fields) ?? incomplete("aws_access_key_id", "is needed to sign") }),
  assumedRole: ({ fields }) => ({
    type: "role",
    arn: text(fields.aws_role_arn) ?? incomplete("aws_role_arn", "names the role to assume"),
    externalId: text(fields.aws_external_id),
    key: accessKey(fields),
  }),
  serviceRole: () => ({ type: "own" }),
  apiKey: (at) => (at.apiKey === "" ? nothing(at) : { type: "bearer", key: at.apiKey }),
};

/** `null` when none of its parts was given. */
function accessKey(fields: Target["fields"]): AccessKey | null {
  const id = text(fields.aws_access_key_id);
  const secret = text(fields.aws_secret_access_key);
  const sessionToken = text(fields.aws_session_token);
  if (id === null && secret === null && sessionToken === null) return null;
  return {
    id: id ?? incomplete("aws_access_key_id", "is missing beside the other parts of the access key"),
    secret: secret ?? incomplete("aws_secret_access_key", "is missing beside the other parts of the access key"),
    sessionToken,
  };
}
const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const incomplete = (field: string, why: string): never => {
  throw new GatewayError("TARGET_INVALID", { provider: "bedrock", why: `${field} ${why}` }, { param: field });
};
