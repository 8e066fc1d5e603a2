import { Type } from "@sinclair/typebox";
import { type BodyContent, definePlugin, type Json } from "#contract";
import { SPEECH, TRANSCRIPT } from "../content/index.ts";
import { tokenUsage, usageAtEnd } from "../content/token-usage.ts";
import { Speech, SpeechBody, Transcription, TranscriptionForm, Translation, TranslationForm } from "./schema.ts";
import { transcripts } from "./transcript.ts";

const usage = { usage: tokenUsage, usageAtEnd } satisfies BodyContent;
const spoken: BodyContent = { ...SPEECH, ...usage };
const heard: BodyContent = { ...TRANSCRIPT, ...usage, noJson: transcripts };

/** Of some providers the sound may be a file that they keep. */
const fileNamed = ({ file_id }: Json): readonly string[] => (typeof file_id === "string" ? [file_id] : []);

/** `/v1/audio`: text to speech, and speech to text in its own language or in English. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "createSpeech",
          content: spoken,
          body: SpeechBody,
          reply: Speech,
          examples: {
            "A sentence": { model: "sandbox-speech", input: "Good morning.", voice: "alloy", response_format: "wav" },
            "The same as events": { model: "sandbox-speech", input: "Good morning.", voice: "alloy", stream_format: "sse" },
          },
        },
        { operation: "createTranscription", content: heard, owned: { named: fileNamed }, body: TranscriptionForm, reply: Transcription },
        { operation: "createTranslation", content: heard, owned: { named: fileNamed }, body: TranslationForm, reply: Translation },
      ],
    },
  }),
});
