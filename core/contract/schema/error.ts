import { Type } from "@sinclair/typebox";
import { Nullable } from "./column.ts";

/** The body of an error. */
export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      type: Type.String({ description: "Class of error." }),
      message: Type.String({ description: "What was attempted, on what, and what would be right." }),
      param: Nullable(Type.String({ description: "Member at fault." })),
      code: Nullable(Type.String({ description: "Machine code (`AB01` … on the control and admin planes)." })),
    }),
  },
  { additionalProperties: true, $id: "ErrorResponse" },
);
