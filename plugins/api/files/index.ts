import { Type } from "@sinclair/typebox";
import { definePlugin, type Json, NO_CONTENT, type OwnedIds } from "#contract";
import { BATCH_ANSWERS, BATCH_LINES } from "../content/batch-lines.ts";
import { FileDeleted, FileForm, FileList, ListFilesQuery, OpenAiFile } from "./schema.ts";

const ofPath: OwnedIds = { params: ["file_id"] };
const madeFile: OwnedIds = { made: ({ id }: Json) => (typeof id === "string" ? [id] : []) };

/** `/v1/files`. Guardrails judge the lines of a batch and its answers; what another file holds is judged where it is used. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "uploadFile",
          content: { file: "sent", lines: BATCH_LINES },
          body: FileForm,
          reply: OpenAiFile,
          owned: madeFile,
          description: "The form passes through unread, of any size; it is sent once, and to one target.",
        },
        { operation: "listFiles", content: NO_CONTENT, query: ListFilesQuery, reply: FileList, owned: { lists: true } },
        { operation: "retrieveFile", content: NO_CONTENT, reply: OpenAiFile, owned: ofPath },
        { operation: "deleteFile", content: NO_CONTENT, reply: FileDeleted, owned: ofPath },
        {
          operation: "retrieveFileContent",
          content: { file: "answered", answers: BATCH_ANSWERS },
          reply: Type.String({ format: "binary", description: "The file." }),
          owned: ofPath,
        },
      ],
    },
  }),
});
