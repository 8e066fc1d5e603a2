import type { Json, SocketMessages } from "#contract";

const WRITTEN_DOWN = "conversation.item.input_audio_transcription.completed";

/** What a client said aloud, once the provider has written all of it down. Its pieces (`…delta`) say nothing else. */
export const speech: NonNullable<SocketMessages["speech"]> = {
  mayBe: (text) => text.includes(WRITTEN_DOWN),
  asInput: ({ type, item_id: id, transcript }) =>
    type === WRITTEN_DOWN && typeof transcript === "string" ? spokenBy(id, transcript) : undefined,
  undo: ({ item_id: id }) => (typeof id === "string" ? [{ type: "conversation.item.delete", item_id: id }] : []),
};
const spokenBy = (id: unknown, transcript: string): Json => ({
  type: "conversation.item.create",
  item: { ...(typeof id === "string" && { id }), type: "message", role: "user", content: [{ type: "input_audio", transcript }] },
});
