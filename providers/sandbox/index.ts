import { Type } from "@sinclair/typebox";
import { type Adapter, definePlugin } from "#contract";
import { assistants } from "./assistants/assistants.ts";
import { runs } from "./assistants/runs.ts";
import { messages, threads } from "./assistants/threads.ts";
import { audio } from "./audio.ts";
import { batches } from "./batches.ts";
import { chat } from "./chat.ts";
import { completions } from "./completions.ts";
import { countTokens } from "./count-tokens.ts";
import { decisions } from "./decisions.ts";
import { echoing } from "./echo.ts";
import { embeddings } from "./embeddings.ts";
import { Kept } from "./kept.ts";
import { KeptFiles } from "./kept-files.ts";
import { files } from "./files.ts";
import { fineTuning } from "./fine-tuning.ts";
import { images } from "./images.ts";
import { lists } from "./lists.ts";
import { moderations } from "./moderations.ts";
import { ocr } from "./ocr.ts";
import { realtime } from "./realtime.ts";
import { rerank } from "./rerank.ts";
import { responses } from "./responses.ts";
import { models } from "./scenario.ts";
import { vectorStoreBatches } from "./vector-store-batches.ts";
import { vectorStoreFiles } from "./vector-store-files.ts";
import { vectorStores } from "./vector-stores.ts";

/** The offline model: every answer is made here, in the chat wire, so that it passes like a real provider's. */
export default definePlugin({
  kind: "provider",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: (host) => {
    const now = () => host.now();
    const kept = new KeptFiles();
    const talks = { chatComplete: chat(now), complete: completions(now), ...embeddings, ...moderations };
    const operations = {
      ...talks,
      ...images(now),
      ...audio,
      ...countTokens,
      ...rerank,
      ...ocr,
      ...decisions,
      ...files(kept, now),
      ...batches(kept, talks, now),
      ...lists,
      ...responses,
      ...realtime,
      ...remembering(() => Math.floor(now() / 1000)),
    };
    return {
      provides: {
        target: Type.Object({}, { additionalProperties: false }),
        endpoint: () => ({ baseUrl: "https://sandbox.invalid/v1", headers: {} }),
        dialect: ["chat", "completions"],
        operations,
        passes: echoing(operations),
        models,
      },
    };
  },
});

/** Operations whose things can be asked for again. */
function remembering(seconds: () => number): Record<string, Adapter> {
  const kept = new Kept();
  const parts = [fineTuning, vectorStores, vectorStoreFiles, vectorStoreBatches, assistants, threads, messages, runs];
  return Object.assign({}, ...parts.map((part) => part(kept, seconds)));
}
