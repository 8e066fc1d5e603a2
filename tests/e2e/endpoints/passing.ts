/** Operations that pass to a provider as they are: what the official client sends arrives, and what is answered comes back. */
import { expect, test } from "bun:test";
import type OpenAI from "openai";
import { jsonAnswer } from "../../kit/replay.ts";
import { type Api, type Json, OPENAI_KEY } from "./api.ts";
import { clientOf } from "./client.ts";

/** `["a name", what the client does, "POST /v1/path?query", the body that is sent]` */
export type Passing = readonly [name: string, asked: (client: OpenAI) => { asResponse(): Promise<Response> }, sent: string, body?: Json];

/** No formatter would write it so. */
const ANSWER =
  '{ "id":"thing_1" ,"object":"thing","data":[ ], "status":"completed","first_id":null,"last_id":null,"has_more":false,"n":1.50}';

export function testPassing(api: Api, rows: readonly Passing[], sentence: (name: string) => string, beta: string | null): void {
  for (const [name, asked, sent, body] of rows)
    test(sentence(name), async () => {
      api.upstream.answer(jsonAnswer(ANSWER));
      const answer = await asked(clientOf(api, api.replayed)).asResponse();
      expect([answer.status, await answer.text()]).toEqual([200, ANSWER]);
      const seen = api.upstream.received.at(-1);
      const { method = "", path = "", headers } = seen ?? {};
      expect({
        sent: `${method} ${path}`,
        body: seen?.text(),
        key: headers?.get("authorization"),
        beta: headers?.get("openai-beta"),
      }).toEqual({ sent, body: body === undefined ? "" : JSON.stringify(body), key: `Bearer ${OPENAI_KEY}`, beta });
    });
}
