import { section } from "./row.ts";

export const dataPlaneRealtime = section("Realtime", [
  [
    "D7.12.relayed",
    "GET /v1/realtime is a WebSocket: events of client and provider are relayed unchanged, all of the query but the model passes.",
  ],
  ["D7.12.providers", "x-ai and compatible hosts are asked like OpenAI."],
  ["D7.12.model-slug", "The query's model may be @slug/model, which chooses the saved provider."],
  ["D7.12.headers", "The headers of any request hold for a session: trace, metadata, the vendor's beta."],
  ["D7.12.key", "The gateway's key may come in a header, in the sub-protocol of browsers' clients or in the query; no provider sees it."],
  ["D7.12.refused", "Errors before the upgrade are plain HTTP."],
  ["D7.12.closes", "Close codes and reasons reach the other side."],
  ["D7.12.logged", "A session is logged and priced: one record, with what was said and who closed it."],
  ["D7.12.estimated", "What an answer has said that never ends is estimated and counted."],
  [
    "D7.12.guarded-speech",
    "Input guardrails judge the transcript of what a client says aloud; where they deny it, the answer to it is ended.",
  ],
  ["D7.12.limits", "What each response used is counted on the way, and a limit that is reached ends the session."],
  ["D7.12.revoked", "A session ends within a second after its key is revoked or has expired."],
  [
    "D7.12.guarded-input",
    "Input guardrails judge and change the texts of a client's events; one that is denied is answered by an error event and not sent.",
  ],
  [
    "D7.12.guarded-output",
    "Output guardrails judge and change a response before its client gets any of it; one that is denied ends as failed.",
  ],
  ["D7.12.back-pressure", "A side that does not read is waited for: the other is read no further, and memory is bounded."],
]);
