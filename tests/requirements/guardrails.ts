import { section } from "./row.ts";

/** The guardrail engine, and what it does apart from requests. */
export const guardrails = [
  ...section("The guardrail engine", [
    ["G.engine.surfaces", "Every check is asked on every surface that it claims, whole and streamed, and its denial holds there."],
    ["G.engine.denied-input", "A denied request never reaches its provider."],
    ["G.engine.denied-output", "Nothing of a denied answer that is held reaches the client, its results included."],
    [
      "G.engine.redacted",
      "What a default guardrail takes out appears at no provider, client, other check, log, metric, kept response or file.",
    ],
    ["G.engine.mcp", "Calls of tools over MCP, and their results, are segments: arguments and structures as JSON, texts as they are."],
    ["G.engine.released", "Of a streamed answer nothing is released before the verdict that it waits for."],
    [
      "G.engine.citations",
      "What an answer rests on (citations, search results, grounding) is judged with its text, streamed too; checks that measure the text do not see it.",
    ],
    ["G.engine.sequential", "In a sequential guardrail nothing that a check took out is sent to whom a later check asks."],
    ["G.engine.fail-mode", "What an error of a check means is one table, by class; an error never passes silently."],
    ["G.engine.batch", "Each line of a batch's file is judged like the request that it is, before its provider has it."],
    [
      "G.engine.batch-answers",
      "Each answer in a batch's file is judged by output guardrails when it is downloaded, before the client has it.",
    ],
    ["G.engine.batch-settled", "An upload whose lines are judged is told of in the log however its provider fails."],
    ["G.engine.batch-unread", "A batch's file with a line that cannot be judged is refused where a guardrail could stop or change it."],
    ["G.engine.retrieved", "A response that is read again from its provider is judged like one that was just made."],
  ]),
  ...section("Guardrails evaluated", [
    ["G.evaluate.checks", "POST /v2/guardrails/evaluate runs checks on a request and says what each found; no provider is asked."],
    ["G.evaluate.output", "With afterRequestHook it judges an answer, by the request type that it is of."],
    ["G.evaluate.error", "A check that cannot judge says why, and the verdict follows its fail mode."],
    ["G.evaluate.saved", "A saved guardrail is run as it was saved; one that runs beside requests is waited for."],
    [
      "G.evaluate.bounded",
      "An evaluation has at most 100 checks and 25 seconds, and an organisation eight of them under way in a process.",
    ],
    ["G.evaluate.command", "gateway guardrails try asks it of a running gateway, and its exit code says whether the text would pass."],
    ["G.evaluate.scope", "It needs the scope guardrails.invoke, or of an organisation key that it may create guardrails."],
  ]),
  ...section("Default and archived guardrails", [
    ["G.defaults.obeyed", "The organisation's default guardrails judge every request and answer, whatever a config says, each once."],
    ["G.defaults.last-word", "What a config's own guardrails change is judged and changed by default guardrails as it will be sent."],
    [
      "G.defaults.routes",
      "GET and PUT /v1/admin/organisation/defaults read and set them; only active guardrails of the organisation are taken.",
    ],
    ["G.defaults.excluded", "A workspace that is excluded from them is not judged by them."],
    ["G.archived.refused", "A guardrail is neither deleted nor archived while a config, a key or a default names it: 409, with who does."],
    ["G.archived.rests", "One that is archived never runs, stays listed, and may be taken up again."],
  ]),
  ...section("What guardrails do", [
    [
      "G.soft-deny",
      "soft_deny_200 answers a denial with 200 and the reason as the model's text, whole and streamed, in the client's form.",
    ],
    ["G.left-cost", "An answer that a request leaves behind, for another target or another try, is counted and priced as its own."],
    ["G.denied-cost", "An answer that is denied is counted and priced as it was received; a request that is denied costs nothing."],
    ["G.shadow", "A guardrail in shadow changes nothing; the log shows what it would have done."],
    ["G.rollout", "With rollout_percentage a guardrail acts on that share of traces and is in shadow for the others."],
    ["G.mutators", "input_mutators and output_mutators change texts and have no verdict, saved and written out."],
  ]),
  ...section("Calls within a request", [
    [
      "G.inner.record",
      "What a check asks of a model is a record of its own in the log: in the request's trace, below its span, marked, with its cost, which the request's record shows too and does not count.",
    ],
    ["G.inner.limits", "The limits of the caller's key count it."],
    ["G.inner.loops", "What a check asks is judged by guardrails without the checks that would ask themselves; none asks again."],
    ["G.inner.left", "When the client leaves, what was asked within its request is ended."],
    [
      "G.inner.bounds",
      "Calls within requests have a number of places: of one request (and of each line or message, where it has many), of a workspace, and of the process.",
    ],
  ]),
  ...section("A model as the judge", [
    ["G.judge.verdict", "judge.rubric asks any configured model how well a text meets a rubric, on requests, answers and streams."],
    ["G.judge.form", "A verdict that has not its form is asked for once more; then the check could not judge."],
    ["G.judge.injection", "What a text says flips no verdict: it is fenced, and a verdict repeats a word that no text can hold."],
    [
      "G.judge.derailed",
      "A text that keeps the model from its verdict (no answer in time, a refusal, a limit, something else than a verdict) stays outside a guardrail that denies.",
    ],
    ["G.judge.long", "A text that is too long is refused, or shown by its beginning and end, as the parameter says."],
    ["G.judge.cache", "A verdict is kept for its time, for the same text, rubric and model, in its workspace alone."],
    ["G.judge.budget", "A rubric has a budget of calls a minute and of money a day; when it is used up the check could not judge."],
    ["G.judge.failure", "Where the model cannot be had the fail mode decides."],
    ["G.judge.evaluate", "It works where guardrails are evaluated, and from the command line."],
  ]),
  ...section("One base", [["S.one-base", "Paths of the control and admin planes answer below /v1 too, unless the data plane has them."]]),
];
