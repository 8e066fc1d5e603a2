/** Audio passes through: neither what is heard nor what is spoken is held. */
import { expect, test } from "bun:test";
import { jsonAnswer } from "../kit/replay.ts";
import { peakMb, resetPeak } from "./memory.ts";
import { forAll } from "../e2e/endpoints/api.ts";
import { clientOf } from "../e2e/endpoints/client.ts";

const api = forAll();
const MB = 1024 * 1024;
const sound = (megabytes: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.alloc(megabytes * MB, crypto.getRandomValues(new Uint8Array(65_521)))); // a prime length: no two blocks of a buffer look alike
const onLinux = test.skipIf(process.platform !== "linux"); // elsewhere no process tells its peak

/** How much more memory the gateway had at its peak than before, in MB. */
async function grownBy(work: () => Promise<void>): Promise<number> {
  resetPeak(api.gateway);
  const before = peakMb(api.gateway);
  await work();
  return peakMb(api.gateway) - before;
}

onLinux(
  "a file of 100 MB is transcribed, and the gateway does not grow by it",
  async () => {
    api.upstream.answer(jsonAnswer({ text: "hello" }));
    const transcribe = async (bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
      const { text } = await clientOf(api, api.replayed).audio.transcriptions.create({
        file: new File([bytes], "a.wav"),
        model: "whisper-1",
      });
      expect(text).toBe("hello");
    };
    await transcribe(sound(1));
    const large = sound(100);
    expect(await grownBy(() => transcribe(large))).toBeLessThan(50);
    const seen = Buffer.from(api.upstream.received.at(-1)?.body ?? []);
    const start = seen.indexOf(Buffer.from(large.buffer, 0, 64));
    expect(Buffer.compare(seen.subarray(start, start + large.length), Buffer.from(large.buffer))).toBe(0);
  },
  30_000,
);
onLinux(
  "speech of 100 MB is heard, and the gateway does not grow by it",
  async () => {
    const speak = async (bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
      api.upstream.answer({ body: bytes, headers: { "content-type": "audio/mpeg" } });
      const answer = await clientOf(api, api.replayed).audio.speech.create({ model: "tts-1", voice: "nova", input: "Hi" });
      expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), Buffer.from(bytes.buffer))).toBe(0);
    };
    await speak(sound(1));
    const large = sound(100);
    expect(await grownBy(() => speak(large))).toBeLessThan(50);
  },
  30_000,
);
