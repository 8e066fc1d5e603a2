import { AwsV4Signer } from "aws4fetch";

/** An AWS access key; a temporary one has a session token. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly sessionToken: string | null;
}
export interface Signing {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body: string;
  readonly service: "bedrock" | "sts";
  readonly region: string;
}

/** The headers that prove who asks (SigV4). `now` is in milliseconds since the epoch. */
export async function signed(
  { method, url, body, service, region }: Signing,
  key: AccessKey,
  now: number,
): Promise<Record<string, string>> {
  const { headers } = await new AwsV4Signer({
    method,
    url,
    ...(method === "POST" && { body }),
    accessKeyId: key.id,
    secretAccessKey: key.secret,
    ...(key.sessionToken !== null && { sessionToken: key.sessionToken }),
    service,
    region,
    datetime: basicTime(now),
  }).sign();
  return Object.fromEntries([...headers].filter(([name]) => name !== "host")); // the client writes it
}
/** `20260101T000000Z` */
const basicTime = (ms: number): string => new Date(ms).toISOString().replace(/[:-]|\.\d{3}/g, "");
