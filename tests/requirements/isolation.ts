import { section } from "./row.ts";

export const isolation = section("Isolation of checks", [
  [
    "G.isolate.process",
    "A pack of checks that says `isolate: process`, or whose profile says it, runs in processes of its own: without an environment, a database or a socket.",
  ],
  [
    "G.isolate.crosses",
    "An isolated check sees its request as anywhere, asks vendors through the gateway with the hosts, secrets and accounts of its manifest, and passes, denies and changes texts.",
  ],
  [
    "G.isolate.contained",
    "An isolated check that loops, leaks, crashes, floods its output, answers too much or never is an error that says what happened, and its pack's next request is judged.",
  ],
  ["G.isolate.beside", "Such a check costs its own deadline: other requests of its pack, and other packs, are judged meanwhile."],
  [
    "G.isolate.load",
    "Beside one faulty pack of each kind of failure, in each tier that contains it, healthy requests keep their p99 within twice its value, and /healthz within 50 ms.",
  ],
  ["G.isolate.end", "No process of an isolated pack outlives its gateway, also when that is killed."],
  [
    "G.isolate.children",
    "What a process of an isolated pack has started ends with it, unless it has left its group, and with the gateway.",
  ],
  ["G.isolate.environment", "What the system shows of the gateway's environment (`/proc/<pid>/environ`) holds none of its secrets."],
  ["G.isolate.shown", "The list of plugins and the metrics show which packs are isolated, and what becomes of their processes."],
  ["G.remote.signed", "remote.check asks a service by a question of a published form, signed, with what `send` names and nothing else."],
  ["G.remote.verdicts", "The service's answer passes, denies with its reason, or changes texts."],
  [
    "G.remote.failures",
    "What is not a signed answer of the published form, in time and of bounded size, is an error of its class: never a pass, never a denial.",
  ],
  ["G.remote.replay", "An answer that was recorded is refused: it is bound to the question it answered."],
  ["G.remote.language", "The documents have a service in another language, which works as it stands there."],
]);
