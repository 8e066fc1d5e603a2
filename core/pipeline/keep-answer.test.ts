import { describe, expect, test } from "bun:test";
import { type KeptAnswers, mountedOperation, NO_CONTENT } from "#contract";
import { TINY_DIALECT } from "#kit";
import { keptReply, type Keeping } from "./keep-answer.ts";
import { ownReply, type Reply } from "./call/reply.ts";

const KEEPS: KeptAnswers = { wants: () => true, completed: () => undefined, keep: async () => undefined };
const broken = (): never => {
  throw new Error("the plugin is broken");
};
/** A stream that the gateway made, of two pieces. */
function streamed(): { readonly reply: Reply; readonly left: { wire: string; events: readonly never[] }[] } {
  const left = ["one", "two"].map((wire) => ({ wire, events: [] }));
  const chunks = { read: async () => left.shift(), cancel: async () => void left.splice(0) };
  const stream = { kind: "chunks", chunks, encoder: TINY_DIALECT.encode(), provider: "p" } as const;
  const made = { leaf: { defaultParams: null, overrideParams: null, dropParams: [] }, from: { served: {} } } as unknown as Pick<
    Reply,
    "leaf" | "from"
  >; // all that is looked at
  return { left, reply: { ...ownReply(200, "", null), ...made, content: { kind: "stream", stream } } };
}
const keeping = (keeps: Partial<KeptAnswers>): Keeping =>
  ({
    keeps: { ...KEEPS, ...keeps },
    mark: 0,
    call: {
      operation: "createModelResponse",
      row: mountedOperation("createModelResponse", { content: NO_CONTENT }),
      body: { kind: "none" },
    },
    caller: {},
  }) as unknown as Keeping; // all that is looked at

describe("an answer whose plugin cannot say whether it is to be kept", () => {
  test.each<[string, Partial<KeptAnswers>]>([
    ["when it is asked", { wants: broken }],
    ["when the last event is looked for", { completed: broken }],
  ])("reaches its client all the same, and is told as one that was not kept: %s", async (_, keeps) => {
    const lines: unknown[] = [];
    const { reply, left } = streamed();
    const { content } = await keptReply(reply, keeping(keeps), { log: (level, event) => void lines.push(`${level} ${event}`) });
    if (content.kind !== "stream" || content.stream.kind !== "chunks") return expect.unreachable();
    const { chunks } = content.stream;
    expect([(await chunks.read())?.wire, (await chunks.read())?.wire, await chunks.read()]).toEqual(["one", "two", undefined]);
    expect(left).toEqual([]);
    expect(lines).toContain("warn answer.not_kept");
    const again = await keptReply(streamed().reply, keeping({ completed: () => ({}) }), { log: () => undefined });
    if (again.content.kind === "stream" && again.content.stream.kind === "chunks") await again.content.stream.chunks.read(); // keeping works again
  });
});
