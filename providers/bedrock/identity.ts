import { GatewayError, type Handles } from "#contract";
import type { AssumeRole } from "./assume-role.ts";
import type { AccessKey } from "./auth.ts";
import type { OwnRole } from "./web-identity.ts";

/** The role in between, when the gateway's own key may not assume the callers' roles itself. */
export interface Source {
  readonly arn: string | undefined;
  readonly externalId: string | undefined;
}

/** What the gateway may be known to AWS by. */
export interface Known {
  readonly secrets: Handles["secrets"];
  readonly source: Source;
  readonly assume: AssumeRole;
  /** Undefined where its platform gives it no identity. */
  readonly ownRole: OwnRole | undefined;
}

/** The gateway's own AWS identity: an access key of the environment, else the role of its service account; and the source role when there is one. */
export async function gatewayIdentity(
  { secrets, source: { arn, externalId }, assume, ownRole }: Known,
  region: string,
): Promise<AccessKey> {
  const own = ownRole ? await ownKey(secrets).catch(() => ownRole(region)) : await ownKey(secrets);
  return arn === undefined ? own : assume({ arn, externalId: externalId ?? null }, own, region);
}

async function ownKey(secrets: Handles["secrets"]): Promise<AccessKey> {
  try {
    const [id, secret] = await Promise.all([
      secrets.read("AWS_ASSUME_ROLE_ACCESS_KEY_ID"),
      secrets.read("AWS_ASSUME_ROLE_SECRET_ACCESS_KEY"),
    ]);
    return { id, secret, sessionToken: null };
  } catch (cause) {
    const why =
      "the gateway has no AWS identity of its own to assume roles with: an operator sets AWS_ASSUME_ROLE_ACCESS_KEY_ID and AWS_ASSUME_ROLE_SECRET_ACCESS_KEY, or AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE; or give the aws_access_key_id and aws_secret_access_key of a user who may assume the role";
    throw new GatewayError("TARGET_INVALID", { provider: "bedrock", why }, { cause, param: "aws_auth_type" });
  }
}
