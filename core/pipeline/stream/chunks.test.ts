/** A stream whose chunks are made from events. */
import { describe, expect, test } from "bun:test";
import { type Encoder, GatewayError, type Source, UpstreamFailure } from "#contract";
import { type Chunk, ChunkStream } from "./chunks.ts";

const SECRET = "sk-of-the-workspace-0123";
const encoder: Pick<Encoder, "error"> = { error: (error) => JSON.stringify(error) };
/** Gives one chunk, then breaks; remembers whether it was let go. */
function breaking(thrown: Error): Source<Chunk> & { cancelled: boolean } {
  let given = false;
  return {
    cancelled: false,
    async read() {
      if (given) throw thrown;
      given = true;
      return { wire: "first", events: [] };
    },
    async cancel() {
      this.cancelled = true;
    },
  };
}

describe("a stream that breaks tells its client why, without the credential that went with the request", () => {
  const error = { message: `Bearer ${SECRET} was refused`, type: `t ${SECRET}`, param: null, code: SECRET };
  test.each([
    ["the provider's error", new UpstreamFailure(500, error)],
    ["what was no JSON", new SyntaxError(`Unexpected identifier "${SECRET}"`)],
    ["an error of ours", new GatewayError("UPSTREAM_INVALID", { provider: "p", why: `it says ${SECRET}` })],
    ["a broken connection", new Error(`connection to ${SECRET}@host was reset`)],
  ])("%s", async (_, thrown) => {
    const chunks = breaking(thrown);
    const stream = new ChunkStream(chunks, encoder, { provider: "p", secrets: [SECRET] }, 100);
    const parts: string[] = [];
    for (let part = await stream.read(); part; part = await stream.read()) parts.push(new TextDecoder().decode(part));
    expect(parts).toHaveLength(2);
    expect(chunks.cancelled).toBe(true);
    expect(parts[1]).toContain("[redacted]");
    expect(parts.join("") + JSON.stringify(stream.summary().error)).not.toContain(SECRET);
  });
});
