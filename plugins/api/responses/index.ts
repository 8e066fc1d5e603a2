import { Type } from "@sinclair/typebox";
import { definePlugin, NO_CONTENT } from "#contract";
import { createResponse } from "./create.ts";
import { responses } from "./dialect.ts";

const ResponseDeleted = Type.Object(
  { id: Type.String(), object: Type.String({ description: "`response`." }), deleted: Type.Boolean() },
  { additionalProperties: true, $id: "ResponseDeleted" },
);

/** `POST /v1/responses`, the dialect it is answered in, and `DELETE /v1/responses/{response_id}` (specification E11). */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        createResponse,
        {
          operation: "deleteModelResponse",
          content: NO_CONTENT,
          reply: ResponseDeleted,
          description: "An unknown id gives 404 with the flat error body.",
        },
      ],
      dialects: [responses],
    },
  }),
});
