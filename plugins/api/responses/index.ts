import { Type } from "@sinclair/typebox";
import { definePlugin, NO_CONTENT } from "#contract";

const ResponseDeleted = Type.Object(
  { id: Type.String(), object: Type.String({ description: "`response`." }), deleted: Type.Boolean() },
  { additionalProperties: true, $id: "ResponseDeleted" },
);

/** `DELETE /v1/responses/{response_id}`: specification E11. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "deleteModelResponse",
          content: NO_CONTENT,
          reply: ResponseDeleted,
          description: "An unknown id gives 404 with the flat error body.",
        },
      ],
    },
  }),
});
