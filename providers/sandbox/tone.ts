/* Audio that anybody can play: a quiet tone, as long as its text takes to be said. */

const RATE = 24_000;
const MAX_SECONDS = 10;
const SECONDS_PER_CHARACTER = 0.06;

export const secondsOf = (text: string): number => Math.min(MAX_SECONDS, Math.max(1, text.length) * SECONDS_PER_CHARACTER);

/** 16-bit samples of one channel, the lowest byte first. */
function pcm(text: string): Uint8Array<ArrayBuffer> {
  const samples = Math.round(secondsOf(text) * RATE);
  const bytes = Buffer.alloc(samples * 2);
  for (let at = 0; at < samples; at += 1) bytes.writeInt16LE(Math.round(Math.sin((at * 2 * Math.PI * 220) / RATE) * 3_000), at * 2);
  return new Uint8Array(bytes);
}

function wav(text: string): Uint8Array<ArrayBuffer> {
  const sound = pcm(text);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + sound.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // channels
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(sound.length, 40);
  return new Uint8Array(Buffer.concat([head, sound]));
}

/** Frames of silence: MPEG 1, layer III, 128 kbit/s, 44.1 kHz. */
function mp3(text: string): Uint8Array<ArrayBuffer> {
  const frames = Math.ceil((secondsOf(text) * 44_100) / 1152);
  const bytes = Buffer.alloc(frames * FRAME_BYTES);
  for (let at = 0; at < bytes.length; at += FRAME_BYTES) bytes.writeUInt32BE(0xfffb9064, at);
  return new Uint8Array(bytes);
}
const FRAME_BYTES = 417;

/** Format -> its media type and what makes it. */
export const FORMATS: Readonly<Record<string, { readonly type: string; readonly make: (text: string) => Uint8Array<ArrayBuffer> }>> = {
  mp3: { type: "audio/mpeg", make: mp3 },
  wav: { type: "audio/wav", make: wav },
  pcm: { type: "audio/pcm", make: pcm },
};
