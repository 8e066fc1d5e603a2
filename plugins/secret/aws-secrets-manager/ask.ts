import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import type { Handles } from "#contract";

export interface AwsConfig {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly serviceRoleArn: string;
  readonly serviceTokenFile: string;
  readonly region: string;
}
export interface AwsParts {
  readonly send: Handles["fetch"];
  now(): number;
  readonly config: AwsConfig;
}
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly sessionToken?: string;
}
export interface AwsQuestion {
  readonly service: "secretsmanager" | "sts";
  readonly region: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Undefined where nothing is signed. */
  readonly key: AccessKey | undefined;
}
/** A secret has 64 KB at most. */
const MAX_ANSWER = 256 * 1024;

/** Asks a service of a region by POST, signed (SigV4). */
export async function askAws({ send, now }: Pick<AwsParts, "send" | "now">, question: AwsQuestion, signal: AbortSignal): Promise<Response> {
  const url = `https://${question.service}.${question.region}.amazonaws.com/`;
  const headers = question.key ? await signed(url, question, question.key, now()) : new Headers(question.headers);
  return send(url, { method: "POST", headers, body: question.body, signal, maxAnswerBytes: MAX_ANSWER });
}

async function signed(url: string, { service, region, headers, body }: AwsQuestion, key: AccessKey, now: number): Promise<Headers> {
  const hash = createHash("sha256").update(body).digest("hex");
  const { headers: all } = await new AwsV4Signer({
    method: "POST",
    url,
    headers: { ...headers, "x-amz-content-sha256": hash },
    body,
    accessKeyId: key.id,
    secretAccessKey: key.secret,
    ...(key.sessionToken !== undefined && { sessionToken: key.sessionToken }),
    service,
    region,
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ""),
  }).sign();
  return all;
}
