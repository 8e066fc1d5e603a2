/**
 * A stream as its reader sees it. `read` gives what comes next, and `undefined` behind the last; nothing is read ahead.
 * `cancel` may be called at any time and more than once, and does not reject: an upstream may be gone already. A reader
 * that is told that the stream has broken cancels it too.
 */
export interface Source<T> {
  read(): Promise<T | undefined>;
  cancel(): Promise<void>;
}

/** A body as it arrives. */
export interface ByteSource extends Source<Uint8Array> {
  /** The bytes that were read last held nothing of the answer: they do not count against the upstream's silence. */
  unheard?(): void;
  /** How many bytes of it its reader keeps just now. Throws when the process holds as much as it may. */
  keeps?(bytes: number): void;
}
