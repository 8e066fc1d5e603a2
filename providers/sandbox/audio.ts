import type { Adapter, Json, OutgoingRequest } from "#contract";
import { answering, obeying } from "./answering.ts";
import { eventStream } from "./events.ts";
import { formWith, textIn } from "./form.ts";
import { invalid, missing } from "./missing.ts";
import { tokens, words } from "./speech.ts";
import { FORMATS, secondsOf } from "./tone.ts";

/** Speech is a tone as long as its text; a transcript tells which file was heard. */
export const audio = {
  createSpeech: { answer: obeying((body) => spoken(body)) },
  createTranscription: { answer: answering((_body, _ask, signal, request) => heard("transcribe", request, signal)) },
  createTranslation: { answer: answering((_body, _ask, signal, request) => heard("translate", request, signal)) },
} satisfies Record<string, Adapter>;

function spoken({ input, voice, response_format, stream_format }: Json): Response {
  if (typeof input !== "string" || input === "") throw missing("input");
  if (voice === undefined) throw missing("voice");
  const format = FORMATS[String(response_format ?? "mp3")];
  if (!format) throw invalid("response_format", `The sandbox speaks ${Object.keys(FORMATS).join(", ")} only.`);
  const bytes = format.make(input);
  if (stream_format !== "sse") return new Response(bytes, { headers: { "content-type": format.type } });
  const usage = usageOf(tokens([input]), tokens([input]));
  return eventStream([...audioEvents(bytes), { type: "speech.audio.done", usage }]);
}

const PIECE_BYTES = 32 * 1024;
const audioEvents = (bytes: Uint8Array): readonly Json[] =>
  Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, index) => ({
    type: "speech.audio.delta",
    audio: Buffer.from(bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES)).toString("base64"),
  }));

const usageOf = (input: number, output: number): Json => ({ input_tokens: input, output_tokens: output, total_tokens: input + output });

async function heard(task: "transcribe" | "translate", request: OutgoingRequest, signal: AbortSignal): Promise<Response> {
  const form = await formWith("file", request, signal);
  const file = form.get("file") as unknown as File; // the line above has looked
  const prompt = textIn(form, "prompt");
  const text = `The sandbox has heard ${file.name}.${prompt ? ` ${prompt}` : ""}`;
  if (textIn(form, "stream") === "true" && task === "transcribe") return transcriptEvents(text, file.size);
  const format = textIn(form, "response_format") ?? "json";
  const write = WRITTEN[format];
  if (!write) throw invalid("response_format", `response_format must be one of ${Object.keys(WRITTEN).join(", ")}.`);
  return write({
    text,
    task,
    language: textIn(form, "language") ?? "english",
    duration: secondsOf(text),
    usage: audioUsage(text, file.size),
  });
}

/** A second of audio is taken for ten tokens, and a kilobyte for a second. */
const audioUsage = (text: string, bytes: number): Json => ({ type: "tokens", ...usageOf(Math.ceil(bytes / 100), tokens([text])) });

const transcriptEvents = (text: string, bytes: number): Response =>
  eventStream([
    ...[...words(text)].map((delta) => ({ type: "transcript.text.delta", delta })),
    { type: "transcript.text.done", text, usage: audioUsage(text, bytes) },
  ]);

interface Heard {
  readonly text: string;
  readonly task: string;
  readonly language: string;
  readonly duration: number;
  readonly usage: Json;
}
const plain = (text: string): Response => new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });

const WRITTEN: Readonly<Record<string, (heard: Heard) => Response>> = {
  json: ({ text, usage }) => Response.json({ text, usage }),
  text: ({ text }) => plain(`${text}\n`),
  srt: ({ text, duration }) => plain(`1\n${clock(0, ",")} --> ${clock(duration, ",")}\n${text}\n\n`),
  vtt: ({ text, duration }) => plain(`WEBVTT\n\n${clock(0, ".")} --> ${clock(duration, ".")}\n${text}\n\n`),
  verbose_json: ({ text, task, language, duration, usage }) =>
    Response.json({ task, language, duration, text, segments: [segment(text, duration)], words: timed(text, duration), usage }),
};

/** `00:00:01,500` */
const clock = (seconds: number, mark: string): string => new Date(seconds * 1000).toISOString().slice(11, 23).replace(".", mark);

const segment = (text: string, end: number): Json => ({
  id: 0,
  seek: 0,
  start: 0,
  end,
  text,
  tokens: [],
  temperature: 0,
  avg_logprob: -0.1,
  compression_ratio: 1,
  no_speech_prob: 0,
});
function timed(text: string, duration: number): readonly Json[] {
  const all = [...words(text)].map((word) => word.trim());
  return all.map((word, index) => ({ word, start: (duration * index) / all.length, end: (duration * (index + 1)) / all.length }));
}
