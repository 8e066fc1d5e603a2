import { Type } from "@sinclair/typebox";
import { Nullable } from "#contract";
import { formFile, Model, ModelInForm, open } from "../content/schema.ts";

const temperature = Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0, description: "How far the model may guess." }));
const file = formFile("The audio.");
const MAX_SPOKEN = 4096;

export const SpeechBody = Type.Object(
  {
    model: Type.Optional(Model),
    input: Type.String({ maxLength: MAX_SPOKEN, description: "The text to speak." }),
    voice: Type.Union([Type.String(), Type.Object({ id: Type.String() }, open)], { description: "E.g. `alloy`, or the provider's own." }),
    instructions: Type.Optional(Nullable(Type.String({ description: "How to speak." }))),
    response_format: Type.Optional(
      Nullable(Type.String({ default: "mp3", description: "`mp3`, `opus`, `aac`, `flac`, `wav`, `pcm`, or the provider's own." })),
    ),
    speed: Type.Optional(Nullable(Type.Number({ minimum: 0.25, maximum: 4, default: 1, description: "1 is normal." }))),
    stream_format: Type.Optional(Nullable(Type.String({ default: "audio", description: "`audio`, or `sse` for events." }))),
  },
  { ...open, $id: "CreateSpeechRequest" },
);
export const Speech = Type.String({ format: "binary", description: "The audio; with `stream_format: sse`, events." });

export const TranscriptionForm = Type.Object(
  {
    file,
    model: Type.Optional(ModelInForm),
    language: Type.Optional(Type.String({ description: "Of the audio, as ISO 639-1." })),
    prompt: Type.Optional(Type.String({ description: "What came before, or how words are spelt." })),
    response_format: Type.Optional(
      Type.String({ default: "json", description: "`json`, `text`, `srt`, `verbose_json`, `vtt`, or the provider's own." }),
    ),
    temperature,
    stream: Type.Optional(Type.Boolean({ default: false, description: "Answer as server-sent events, where the model can." })),
    "timestamp_granularities[]": Type.Optional(Type.Array(Type.String(), { description: "`word`, `segment`; with `verbose_json`." })),
  },
  { ...open, $id: "CreateTranscriptionRequest" },
);

export const TranslationForm = Type.Object(
  {
    file,
    model: Type.Optional(ModelInForm),
    prompt: Type.Optional(Type.String({ description: "What came before, in English." })),
    response_format: Type.Optional(Type.String({ default: "json", description: "`json`, `text`, `srt`, `verbose_json` or `vtt`." })),
    temperature,
  },
  { ...open, $id: "CreateTranslationRequest" },
);

const Segment = Type.Object({ id: Type.Integer(), start: Type.Number(), end: Type.Number(), text: Type.String() }, open);
const Word = Type.Object({ word: Type.String(), start: Type.Number(), end: Type.Number() }, open);
const timed = {
  text: Type.String(),
  language: Type.Optional(Type.String()),
  duration: Type.Optional(Type.Union([Type.Number(), Type.String()], { description: "Seconds." })),
  segments: Type.Optional(Type.Array(Segment)),
};
export const Transcription = Type.Object(
  { ...timed, words: Type.Optional(Type.Array(Word)) },
  { ...open, $id: "CreateTranscriptionResponse", description: "Text, subtitles and events have no members." },
);
export const Translation = Type.Object(timed, { ...open, $id: "CreateTranslationResponse" });
