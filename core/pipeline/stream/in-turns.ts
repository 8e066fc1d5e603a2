import { nextTurn, type Source } from "#contract";
import type { Chunk } from "./chunks.ts";

/** Characters of the wire that are given before others have their turn, and what a chunk counts beside its own. */
const AT_ONCE = 64 * 1024;
const CHUNK = 1024;

/** Chunks of an answer that is here already, made when they are asked for. */
export class InTurns implements Source<Chunk> {
  private sincePause = 0;
  constructor(private chunks: Iterator<Chunk, undefined>) {}

  async read(): Promise<Chunk | undefined> {
    if (this.sincePause >= AT_ONCE) {
      this.sincePause = 0;
      await nextTurn();
    }
    const { value } = this.chunks.next();
    this.sincePause += CHUNK + (value?.wire.length ?? 0);
    return value;
  }
  cancel(): Promise<void> {
    this.chunks = [].values();
    return Promise.resolve();
  }
}
