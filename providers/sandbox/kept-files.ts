import type { Json } from "#contract";
import { Refusal } from "./refusal.ts";

/** What the sandbox remembers, until it ends: so many files, and so many bytes of them. The oldest are forgotten first. */
const MOST_FILES = 64;
const MOST_BYTES = 32 * 1024 * 1024;

export interface KeptFile {
  readonly id: string;
  readonly name: string;
  readonly purpose: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class KeptFiles {
  private readonly byId = new Map<string, KeptFile>();
  private held = 0;

  /** Each has an id of its own: two uploads of one file are two files. */
  add(file: Omit<KeptFile, "id">): KeptFile {
    const kept = { ...file, id: `file-${crypto.randomUUID().replaceAll("-", "")}` };
    this.byId.set(kept.id, kept);
    this.held += kept.bytes.length;
    for (const { id } of this.byId.values()) {
      if (this.byId.size <= MOST_FILES && this.held <= MOST_BYTES) break;
      this.remove(id);
    }
    return kept;
  }
  find(id: string): KeptFile | undefined {
    return this.byId.get(id);
  }
  get(id: string): KeptFile {
    const file = this.byId.get(id);
    if (file === undefined) throw new Refusal(404, { message: `No such File object: ${id}`, param: "id" });
    return file;
  }
  remove(id: string): void {
    const file = this.get(id);
    this.byId.delete(id);
    this.held -= file.bytes.length;
  }
  all(): readonly KeptFile[] {
    return [...this.byId.values()];
  }
}

export const shownFile = ({ id, name, purpose, createdAt, bytes }: KeptFile): Json & { readonly id: string } => ({
  id,
  object: "file",
  bytes: bytes.length,
  created_at: createdAt,
  filename: name,
  purpose,
  status: "processed",
  status_details: null,
  expires_at: null,
});
