import { GatewayError } from "#contract";
import { textCost } from "../json/memory-cost.ts";
import type { MemoryBudget } from "../kernel/process/memory-budget.ts";

interface Reader {
  readonly memory: MemoryBudget;
  readonly tenant: string;
  /** Who asked, for errors. */
  readonly by: string;
}

/** Bytes of an answer that a plugin is given. */
const MAX_ANSWER = 4 * 1024 * 1024;

/** An answer with its body read: what it was is settled then, and it takes no more than its bound. */
export async function boundedAnswer(response: Response, { memory, tenant, by }: Reader): Promise<Response> {
  const held = memory.hold();
  held.tenant = tenant;
  try {
    const { status, headers } = response;
    return new Response(await wholeText(response, by, (bytes) => held.grow(textCost(bytes))), { status, headers });
  } finally {
    held.release();
  }
}

async function wholeText({ body }: Response, by: string, take: (bytes: number) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const bytes of body ?? []) {
    size += bytes.length;
    if (size > MAX_ANSWER)
      throw new GatewayError("UPSTREAM_INVALID", { provider: by, why: `its answer is larger than ${MAX_ANSWER} bytes` }); // leaving the loop cancels the body
    take(bytes.length);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
