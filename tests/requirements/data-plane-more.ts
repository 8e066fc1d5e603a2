import { section } from "./row.ts";

/** Small operations of the data plane, and what answers beside them. */
export const dataPlaneMore = [
  ...section("Logs: insert", [
    ["L4.1.insert", "POST /v1/logs keeps a record of a request that went elsewhere; the logs routes read it."],
    ["L4.1.insert-many", "It takes a list of records too."],
    ["L4.1.insert-masked", "Credentials in inserted records are masked, and sensitive headers hashed, as in the gateway's own."],
    ["L4.1.insert-scope", "It needs the scope logs.write."],
  ]),
  ...section("Decisions", [
    ["D7.2.passes", "POST /v1/decisions forwards questions about a state, and counts the tokens that are reported."],
    ["D7.2.limits", "Questions beyond their documented form are refused."],
    ["D7.2.fallback", "Another target answers where the first fails."],
    ["D7.2.guarded", "Input guardrails read the state."],
    ["D7.2.changed", "They may change the state."],
    ["D7.2.unguarded", "They read nothing else of it, and answers have no guardrails."],
  ]),
  ...section("Embeddings, rerank, moderations", [
    ["D7.3.embed-passes", "Embeddings and their requests pass byte for byte, whatever their form."],
    ["D7.3.embed-limits", "Members of embeddings beyond their documented limits are refused by name."],
    ["D7.3.embed-guarded", "Input guardrails judge the texts that are embedded."],
    ["D7.3.embed-unlogged", "The log has the texts and no vector."],
    ["D7.3.rerank-passes", "Requests and answers of POST /v1/rerank pass byte for byte, and reported tokens are counted."],
    ["D7.3.rerank-members", "top_n and return_documents are obeyed."],
    ["D7.3.rerank-vendors", "Cohere, Voyage, Jina, Pinecone, Azure and Vertex AI rank documents too.", "all providers"],
    ["D7.3.rerank-limits", "Members of rerank beyond their documented limits are refused by name."],
    ["D7.3.rerank-guarded", "Input guardrails judge the query and the documents."],
    ["D7.3.moderate-passes", "Requests and answers of POST /v1/moderations pass byte for byte."],
    ["D7.3.moderate-limits", "Their input is refused where it is none; their model may be left out."],
    ["D7.3.moderate-guarded", "Input guardrails judge what is to be moderated."],
  ]),
  ...section("OCR", [
    ["D7.3.ocr-vendors", "Azure and Vertex AI read documents too.", "all providers"],
    ["D7.3.ocr-limits", "Members beyond their documented limits are refused by name."],
    ["D7.3.ocr", "POST /v1/ocr reads a document given by a URL or a data URL, at Mistral."],
    ["D7.3.ocr-price", "What is read is priced by its pages, where the price list has a price for them."],
    ["D7.3.ocr-guarded", "Output guardrails read its pages."],
  ]),
  ...section("Guarded streams", [
    ["D7.guarded.repeated", "Where the events of a stream say a text again, guardrails see every telling that differs."],
    [
      "D7.guarded.rests",
      "What rests on a text that a guardrail changed, or says it again, goes with it: citations, titles, log probabilities.",
    ],
  ]),
  ...section("Pass-through and others", [
    ["D7.15.ping", "POST /v1/verify-ping takes the call-back of a deployment.", "control plane"],
    ["D7.15.health", "GET / answers with a text, GET /v1/health with a status and the version, both without a key."],
  ]),
];
