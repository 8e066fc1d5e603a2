import { Type } from "@sinclair/typebox";
import { type BodyContent, definePlugin, type PlacedSegment } from "#contract";
import { at, type Found } from "../content/found.ts";
import { RERANK } from "../content/index.ts";
import { readLeaves } from "../content/leaves.ts";
import { tokenUsage } from "../content/token-usage.ts";
import { DecisionBody, DecisionResult } from "./schema.ts";

/** Only the state: model, questions and criteria are the operator's own. */
const content: BodyContent = {
  ...RERANK,
  input(body): readonly PlacedSegment[] {
    const found: Found = [];
    readLeaves(body["state"], at("state", "user", 0), found);
    return found;
  },
  usage: tokenUsage,
  names: new Set([...(RERANK.names ?? []), "state"]),
};

/** `POST /v1/decisions`. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "decisions",
          content,
          body: DecisionBody,
          reply: DecisionResult,
          examples: {
            "Three questions": {
              model: "sandbox-decisions",
              state: "The parcel is late and the customer is angry.",
              questions: {
                refund: {
                  type: "noul",
                  instructions: "Is a refund due?",
                  criteria: { true: "The parcel is late.", false: "It came in time." },
                },
                team: {
                  type: "choice",
                  instructions: "Who answers?",
                  criteria: { shipping: "A parcel is late.", billing: "An invoice is wrong." },
                },
                mood: { type: "score", instructions: "How does the customer feel?", criteria: ["angry", "calm", "happy"] },
              },
            },
          },
        },
      ],
    },
  }),
});
