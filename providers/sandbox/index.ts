import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { audio } from "./audio.ts";
import { batches } from "./batches.ts";
import { chat } from "./chat.ts";
import { completions } from "./completions.ts";
import { countTokens } from "./count-tokens.ts";
import { embeddings } from "./embeddings.ts";
import { images } from "./images.ts";
import { lists } from "./lists.ts";
import { moderations } from "./moderations.ts";
import { rerank } from "./rerank.ts";
import { responses } from "./responses.ts";
import { models } from "./scenario.ts";

/** The offline model: every answer is made here, in the chat wire, so that it passes like a real provider's. */
export default definePlugin({
  kind: "provider",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: (host) => ({
    provides: {
      target: Type.Object({}, { additionalProperties: false }),
      endpoint: () => ({ baseUrl: "https://sandbox.invalid/v1", headers: {} }),
      dialect: ["chat", "completions"],
      operations: {
        chatComplete: chat(() => host.now()),
        complete: completions(() => host.now()),
        ...images(() => host.now()),
        ...audio,
        ...countTokens,
        ...embeddings,
        ...moderations,
        ...rerank,
        ...batches,
        ...lists,
        ...responses,
      },
      models,
    },
  }),
});
