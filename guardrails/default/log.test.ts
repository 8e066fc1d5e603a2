import { expect, test } from "bun:test";
import type { Handles, Json } from "#contract";
import { problemsOf } from "../../tests/kit/bound-check.ts";
import { judgedAnswer } from "../../tests/kit/judged.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import log from "./checks/log.ts";

const answer = { choices: [{ index: 0, message: { role: "assistant", content: "said" } }] };

test(verifies("2.6.log", "an answer is sent with its request, and passes whatever the log says"), async () => {
  const sent: { url: string; headers: Headers; body: Json }[] = [];
  let status = 200;
  const fetch: Handles["fetch"] = async (url, init = {}) => {
    sent.push({ url: String(url), headers: new Headers(init.headers), body: JSON.parse(String(init.body)) as Json });
    return new Response("<html>", { status });
  };
  const parameters = { logURL: "https://logs.example.com/take?key=k", headers: { "x-key": "1" }, forwardHeaders: ["x-tenant"] };
  const judged = () =>
    judgedAnswer(log({ fetch }), answer, { parameters, headers: new Headers({ "x-tenant": "t" }), metadata: { team: "a" } });
  const taken = await judged();
  expect([taken.denied, taken.check.verdict, (taken.check.data as Json)["logUrl"]]).toEqual([false, true, "https://logs.example.com/take"]);
  expect(sent[0]).toMatchObject({
    url: parameters.logURL,
    body: {
      response: { json: answer, text: "said", statusCode: 200 },
      request: { text: "hi" },
      metadata: { team: "a" },
      eventType: "afterRequestHook",
    },
  });
  expect([sent[0]?.headers.get("x-key"), sent[0]?.headers.get("x-tenant")]).toEqual(["1", "t"]);
  status = 500;
  const refused = await judged();
  expect([refused.denied, refused.check.error?.message]).toEqual([false, "The log answered 500."]);
});
test("its headers must be an object", () => {
  const fetch = () => Promise.reject(new Error("nobody is asked"));
  expect(problemsOf(log({ fetch }), { logURL: "https://logs.example.com", headers: "[1]" })).toHaveLength(1);
});
