/** A service behind `remote.check`, on a socket of its own, signing as docs/remote-guardrails.md says. */
import { createHmac } from "node:crypto";
import type { Json } from "#contract";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

export interface Heard {
  readonly headers: Headers;
  readonly body: string;
  readonly json: Json;
}
export interface SignedAnswer {
  readonly answer: unknown;
  /** Default: the question's. */
  readonly id?: string;
  readonly secret?: string;
}
export interface RemoteService {
  readonly url: string;
  readonly host: string;
  readonly heard: Heard[];
  /** What it answers from now on: a verdict that it signs, or any response. */
  answers(answer: (heard: Heard) => SignedAnswer | Response | Promise<SignedAnswer | Response>): void;
  close(): Promise<void>;
}

export const signatureOf = (id: string, timestamp: string, body: string, secret = SECRET): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64")}`;

export function signed({ answer, id, secret }: SignedAnswer, askedId: string): Response {
  const body = JSON.stringify(answer);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const own = id ?? askedId;
  const headers = { "webhook-id": own, "webhook-timestamp": timestamp, "webhook-signature": signatureOf(own, timestamp, body, secret) };
  return new Response(body, { headers });
}

export function startRemoteService(): RemoteService {
  const heard: Heard[] = [];
  let respond: Parameters<RemoteService["answers"]>[0] = () => ({ answer: { verdict: "allow" } });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const question = { headers: request.headers, body, json: JSON.parse(body) as Json };
      heard.push(question);
      const answer = await respond(question);
      return answer instanceof Response ? answer : signed(answer, request.headers.get("webhook-id") ?? "");
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/judge`,
    host: `127.0.0.1:${server.port}`,
    heard,
    answers: (answer) => {
      respond = answer;
    },
    close: () => server.stop(true),
  };
}
