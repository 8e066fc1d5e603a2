import { randomUUID } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { type CheckInput, defineCheck, type Handles, type HostBase, SAID, vendorCall, vendorParams, type Verdict } from "#contract";
import { PARTS, type QuestionPart, questionText } from "../question.ts";
import { Answer } from "../schema.ts";
import { secretProblems, signedHeaders, verify } from "../signing.ts";

const Params = Type.Object({
  url: Type.String({ format: "uri", pattern: "^https?://", maxLength: 2048, description: "Where the service is asked, by POST." }),
  secret: Type.String({
    minLength: 16,
    maxLength: 4096,
    secret: true,
    description: "Signs questions and answers: a text, or `whsec_` and base64. Stored sealed.",
  }),
  send: Type.Array(Type.Union(PARTS.map((part) => Type.Literal(part))), {
    default: ["segments", "context"],
    uniqueItems: true,
    maxItems: PARTS.length,
    description: "What the service is sent of a request: nothing else leaves the gateway.",
  }),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "What the service is told besides: its own parameters." }),
  ),
  ...vendorParams(3000),
});
type Input = CheckInput<Static<typeof Params>>;

const ID = "remote.check";

/** Asks a service for its verdict, in the form of docs/remote-guardrails.md. */
export default (host: Pick<Handles, "fetch"> & Pick<HostBase, "now">) => {
  const ask = vendorCall(host, ID, Answer);
  return defineCheck({
    id: ID,
    title: "A service of your own decides",
    on: ["input", "output"],
    targets: ["llm", "mcp_tools"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    timeoutMs: 3000,
    params: Params,
    problems: ({ secret }) => secretProblems(secret),
    async run(input: Input): Promise<Verdict> {
      const { url, secret, send, parameters } = input.params;
      const id = randomUUID();
      const nowSec = (): number => Math.floor(host.now() / 1000);
      const body = questionText(id, input, send as readonly QuestionPart[], parameters, ID); // one of PARTS each, by the schema
      const headers = { ...signedHeaders({ id, timestamp: nowSec(), body }, secret), accept: "application/json" };
      const answer = await ask({
        url,
        headers,
        body,
        input,
        verify: (given, text) => verify(given, text, { id, nowSec: nowSec(), secret }, ID),
      });
      return verdictOf(answer);
    },
  });
};

function verdictOf(answer: Answer): Verdict {
  if (answer.verdict !== "error") return answer;
  return { verdict: "error", class: "unavailable", message: `${ID}: the service could not judge: ${answer.message}`, data: answer.data };
}
