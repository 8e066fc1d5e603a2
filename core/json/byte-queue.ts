/** Bytes as they arrive and as they are taken: joined once for each thing that is taken, in however many pieces it came. */
export class ByteQueue {
  private pieces: Buffer[] = [];
  size = 0;

  add({ buffer, byteOffset, length }: Uint8Array): void {
    this.pieces.push(Buffer.from(buffer, byteOffset, length));
    this.size += length;
  }
  /** So many of them, or as many as there are; they stay. */
  front(length: number): Buffer {
    const [first] = this.pieces;
    return (first !== undefined && first.length >= Math.min(length, this.size) ? first : this.joined()).subarray(0, length);
  }
  take(length: number): Buffer {
    const taken = this.front(length);
    this.size -= taken.length;
    const rest = this.pieces[0]?.subarray(taken.length);
    if (rest === undefined || rest.length === 0) this.pieces.shift();
    else this.pieces[0] = rest;
    return taken;
  }
  private joined(): Buffer {
    const all = Buffer.concat(this.pieces);
    this.pieces = [all];
    return all;
  }
}
