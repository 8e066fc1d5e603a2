import { type BodyContent, type Call, type Json, type MountedOperation, mountedOperation, NO_CONTENT, type OperationId } from "#contract";
import {
  CHAT,
  COMPLETION,
  EMBEDDING,
  FORM,
  INPUT,
  MESSAGES,
  PROMPT,
  RERANK,
  RESPONSE,
  SPEECH,
  TRANSCRIPT,
} from "../../plugins/api/content/index.ts";
import { GENERATED } from "../../plugins/api/gemini/content.ts";

/** What the bodies of some operations hold; of the others nothing. */
const CONTENTS: { readonly [Op in OperationId]?: BodyContent } = {
  ...{ chatComplete: CHAT, messages: MESSAGES, complete: COMPLETION, createModelResponse: RESPONSE, embed: EMBEDDING, rerank: RERANK },
  ...{ imageGenerate: PROMPT, imageEdit: FORM, moderate: INPUT, createTranscription: TRANSCRIPT },
  ...{ createSpeech: SPEECH, generateContent: GENERATED },
};
/** An operation of the table, as a plugin would mount it. */
export const operationRow = (id: OperationId): MountedOperation => mountedOperation(id, { content: CONTENTS[id] ?? NO_CONTENT });

/** A chat request with this body, or one of another operation of the table. */
export const callOf = (
  value: Json,
  { operation = "chatComplete", ...more }: Partial<Call> & { readonly operation?: OperationId } = {},
): Call => ({
  id: "00000000-0000-4000-8000-000000000001",
  operation,
  row: operationRow(operation),
  method: "POST",
  path: "/chat/completions",
  params: {},
  search: "",
  headers: new Headers(),
  control: { rest: {} },
  traceId: "00000000-0000-4000-8000-0000000000aa",
  body: { kind: "json", text: JSON.stringify(value), value },
  startedAt: 0,
  signal: new AbortController().signal,
  ...more,
});
