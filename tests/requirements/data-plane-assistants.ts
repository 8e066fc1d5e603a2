import { section } from "./row.ts";

/** Operations that pass to a provider that has them, in the order of the data sheet. */
export const dataPlaneAssistants = [
  ...section("Fine-tuning", [
    ["D7.9.jobs", "Jobs are created, listed, retrieved, cancelled, paused and resumed; events and checkpoints are listed."],
    ["D7.9.passes", "Path, query, body and answer of every fine-tuning operation pass unchanged."],
    ["D7.9.query", "limit and after page jobs, events and checkpoints; a limit outside 1 to 100 is refused."],
    ["D7.9.body", "A job names its model and its training file."],
  ]),
  ...section("Assistants, threads, messages, runs", [
    ["D7.13.flow", "Assistants, threads, messages, runs and steps are made, read, changed and deleted."],
    ["D7.13.passes", "Path, query, body and answer of every one of their operations pass unchanged."],
    ["D7.13.beta", "The client's OpenAI-Beta is carried; without one, assistants=v2 is sent."],
    ["D7.13.thread-body", "A thread may be created without a body."],
    ["D7.13.stream", "Runs are streamed where the body asks for it, and their events pass as they come."],
    ["D7.13.usage", "The usage that a streamed run reports is counted."],
    ["D7.13.polled", "A run that is not streamed is counted and priced once, when its usage is first told."],
    ["D7.13.forgotten", "What was begun, and whose end nobody asked for, is forgotten one day, whichever plugins are there."],
    ["D7.13.guarded", "Guardrails judge instructions, messages and tool outputs, and what runs and messages answer."],
    ["D7.13.query", "limit, order, after, before and run_id page lists; others than the documented values are refused."],
    ["D7.13.body", "Members outside their documented limits are refused."],
  ]),
  ...section("Vector stores", [
    ["D7.14.flow", "Vector stores, their files and file batches are made, read, changed, searched and deleted."],
    ["D7.14.passes", "Path, query, body and answer of every one of their operations pass unchanged, with their beta header."],
    ["D7.14.query", "limit, order, after, before and filter page lists; others than the documented values are refused."],
    ["D7.14.limits", "Bodies with members beyond their documented limits, or without what they must have, are refused."],
    ["D7.14.guarded", "Guardrails judge what a search asks for, and what it and a file's content answer."],
  ]),
  ...section("Request types", [
    ["D7.request-types", "Request types of further operations are their operation ids, in allowed and in blocked lists."],
  ]),
];
