import { readFile } from "node:fs/promises";
import { GatewayError } from "#contract";
import { answered, keyKeeper, type Parts, PATIENCE_MS } from "./assume-role.ts";
import type { AccessKey } from "./auth.ts";

/** The role of the gateway's own service account, and the file with the token that its platform gives it. */
export interface WebIdentity {
  readonly arn: string;
  readonly tokenFile: string;
}
/** Temporary access keys of the gateway's own role. */
export type OwnRole = (region: string) => Promise<AccessKey>;

/** AssumeRoleWithWebIdentity of AWS's Security Token Service, which is asked without a signature; answers are kept for five minutes. */
export function ownRole({ arn, tokenFile }: WebIdentity, parts: Pick<Parts, "fetch" | "log" | "now" | "domain">): OwnRole {
  const keep = keyKeeper(parts.now);
  const asked = async (region: string): Promise<AccessKey> => {
    const form = { Action: "AssumeRoleWithWebIdentity", Version: "2011-06-15", RoleArn: arn, RoleSessionName: "ai-gateway" };
    const response = await parts.fetch(`https://sts.${region}.${parts.domain}/`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ ...form, WebIdentityToken: await tokenIn(tokenFile) }).toString(),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return answered(response, { arn, externalId: null }, parts);
  };
  return (region) => keep(region, () => asked(region));
}

/** Read anew each time: the platform replaces the file before its token expires. */
const tokenIn = (file: string): Promise<string> =>
  readFile(file, "utf8").then(
    (text) => text.trim(),
    (cause: unknown) => {
      const why = "the file that AWS_WEB_IDENTITY_TOKEN_FILE names cannot be read";
      throw new GatewayError("PROVIDER_UNAVAILABLE", { provider: "bedrock", why }, { cause });
    },
  );
