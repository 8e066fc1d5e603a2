import { GatewayError, type Handles } from "#contract";
import type { AssumeRole } from "./assume-role.ts";
import type { AccessKey } from "./auth.ts";

/** The role in between, when the gateway's own key may not assume the callers' roles itself. */
export interface Source {
  readonly arn: string | undefined;
  readonly externalId: string | undefined;
}

/** The gateway's own AWS identity: an access key of the environment, and the source role when there is one. */
export async function gatewayIdentity(secrets: Handles["secrets"], { arn, externalId }: Source, assume: AssumeRole, region: string) {
  const own = await ownKey(secrets);
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
      "the gateway has no AWS identity of its own to assume roles with: an operator sets AWS_ASSUME_ROLE_ACCESS_KEY_ID and AWS_ASSUME_ROLE_SECRET_ACCESS_KEY, or give the aws_access_key_id and aws_secret_access_key of a user who may assume the role";
    throw new GatewayError("TARGET_INVALID", { provider: "bedrock", why }, { cause, param: "aws_auth_type" });
  }
}
