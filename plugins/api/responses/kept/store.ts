import { type Blobs, type Caller, isJson, type Json, nextTurn, parseJson, type Records, type Vault } from "#contract";
import { charactersIn } from "../size.ts";
import { DAY_MS, isOf, type KeptResponse } from "./record.ts";

/** What is kept of a response: what its client sent as input, and the whole answer. */
export interface KeptContent {
  readonly input: readonly Json[];
  readonly response: Json;
}
export interface KeptParts {
  readonly records: Records<KeptResponse>;
  readonly blobs: Blobs;
  readonly vault: Pick<Vault, "sealContent" | "openContent">;
  readonly now: () => number;
  /** Days after which a response counts as gone. */
  readonly days: number;
}

/** What is larger is not kept: it is written, sealed and parsed in one turn each. */
export const MAX_BYTES = 4 * 1024 * 1024;
/** Contents that are in memory at a time on their way from the store; others wait. */
const MAX_READING = 4;

/** Kept responses: a record that says whose it is, and the sealed content beside it. */
export class KeptStore {
  #reading = 0;
  readonly #waiting: (() => void)[] = [];
  constructor(private readonly parts: KeptParts) {}

  /** The record comes first: what a process leaves behind when it is killed in between, retention finds. */
  async keep(of: Pick<KeptResponse, "id" | "organisation_id" | "workspace_id" | "previous_id">, content: KeptContent): Promise<void> {
    const { records, blobs, now } = this.parts;
    const sealed = await this.#sealed(of.id, content);
    const created_at = now();
    await records.insert({ ...of, created_at, created_day: Math.floor(created_at / DAY_MS), bytes: sealed.byteLength });
    try {
      await blobs.put(blobKey(of.id), streamOf(sealed));
    } catch (error) {
      await records.remove(of.id).catch(() => undefined); // without content it counts as gone
      throw error;
    }
  }
  /** `undefined` when there is none, when it is another tenant's, and when its time is over. */
  async find(id: string, caller: Caller): Promise<KeptResponse | undefined> {
    const record = await this.parts.records.get(id);
    return record && isOf(record, caller) && record.created_at > this.oldest ? record : undefined;
  }
  /** `undefined` while it is being written, and when it was deleted meanwhile. */
  async content(record: KeptResponse): Promise<KeptContent | undefined> {
    if (this.#reading === MAX_READING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#reading += 1;
    try {
      return await this.#read(record);
    } finally {
      const next = this.#waiting.shift(); // it takes this place
      if (next) next();
      else this.#reading -= 1;
    }
  }
  async #read({ id }: KeptResponse): Promise<KeptContent | undefined> {
    const body = await this.parts.blobs.get(blobKey(id));
    if (body === undefined) return undefined;
    const sealed = new Uint8Array(await new Response(body).arrayBuffer());
    const plain = this.parts.vault.openContent(sealed, id);
    if (plain.byteLength > AT_ONCE) await nextTurn();
    const content: unknown = parseJson(new TextDecoder().decode(plain));
    if (plain.byteLength > AT_ONCE) await nextTurn();
    return isJson(content) ? (content as unknown as KeptContent) : undefined; // written below
  }
  /** Its content first: nothing is left of what was said once the record is gone. */
  async remove({ id }: Pick<KeptResponse, "id">): Promise<void> {
    await this.parts.blobs.delete(blobKey(id));
    await this.parts.records.remove(id);
  }
  /** Responses made before this moment count as gone. */
  get oldest(): number {
    return this.parts.now() - this.parts.days * DAY_MS;
  }

  /** Each step is a turn. */
  async #sealed(id: string, content: KeptContent): Promise<Uint8Array<ArrayBuffer>> {
    if (charactersIn(content, MAX_BYTES) > MAX_BYTES) throw tooLong();
    await nextTurn();
    const plain = new TextEncoder().encode(JSON.stringify(content));
    if (plain.byteLength > MAX_BYTES) throw tooLong();
    if (plain.byteLength > AT_ONCE) await nextTurn();
    return new Uint8Array(this.parts.vault.sealContent(plain, id));
  }
}

/** Bytes that are parsed or written, and sealed or opened, in one turn. */
const AT_ONCE = 256 * 1024;
export const tooLong = (): Error => new Error(`at most ${MAX_BYTES} bytes of an answer with its input are kept`);

const blobKey = (id: string): string => `responses/${id}`;
const streamOf = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> => new Blob([bytes]).stream();
