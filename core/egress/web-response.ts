import { GatewayError, type Source } from "#contract";
import type { HeldMemory } from "./memory.ts";
import { pieceNestingCost, textCost } from "../json/memory-cost.ts";
import type { Answer } from "./answer.ts";
import { tooLarge } from "../json/whole.ts";

/** How much of an answer may come, and what it is counted against until its exchange ends. */
interface Bound {
  readonly caller: string;
  readonly most: number;
  readonly held: HeldMemory | undefined;
}

/** The answer as the web's Response, for plugins. Plugins read it whole, so it is bounded and counted like every answer read whole. */
export function responseOf(answer: Answer, bound: Bound): Response {
  const body = answer.pieces();
  return new Response(body && streamOf(body, bound), { status: answer.status, headers: answer.headers });
}

function streamOf(source: Source<Uint8Array>, bound: Bound): ReadableStream<Uint8Array> {
  let size = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const bytes = await source.read();
          if (bytes === undefined) return controller.close();
          count(bytes, (size += bytes.length), bound);
          controller.enqueue(bytes);
        } catch (thrown) {
          void source.cancel(); // nobody reads on
          throw thrown;
        }
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 }, // nothing is read ahead of the client
  );
}

function count(bytes: Uint8Array, size: number, { caller, most, held }: Bound): void {
  if (size > most) throw new GatewayError("UPSTREAM_INVALID", { provider: caller, why: tooLarge(most) });
  held?.grow(textCost(bytes.length) + pieceNestingCost(bytes));
}
