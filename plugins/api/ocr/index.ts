import { Type } from "@sinclair/typebox";
import { definePlugin, type Json, Nullable, OneOf } from "#contract";
import { idsIn, objectIn } from "../content/ids.ts";
import { ModelOrSet, open } from "../content/schema.ts";
import { OCR } from "./content.ts";

const Url = (description: string) => Type.Optional(Type.Union([Type.String(), Type.Object({ url: Type.String() }, open)], { description }));

const OcrBody = Type.Object(
  {
    model: Type.Optional(ModelOrSet),
    document: Type.Object(
      {
        type: OneOf(["document_url", "image_url", "file"], { description: "Which of the members beside it says where the document is." }),
        document_url: Url("A URL, or a data URL."),
        image_url: Url("A URL, or a data URL."),
        file_id: Type.Optional(Type.String({ description: "An uploaded file, where the provider takes one." })),
      },
      open,
    ),
    include_image_base64: Type.Optional(Nullable(Type.Boolean({ default: false, description: "Whether pictures come with the pages." }))),
    image_limit: Type.Optional(Nullable(Type.Integer({ minimum: 1, description: "How many pictures at most." }))),
    image_min_size: Type.Optional(Nullable(Type.Integer({ minimum: 1, description: "Smaller pictures are left out." }))),
    pages: Type.Optional(
      Nullable(Type.Union([Type.Array(Type.Integer()), Type.String()], { description: "Which pages, counted from 0; default: all." })),
    ),
  },
  { ...open, $id: "CreateOcrRequest" },
);

const OcrResult = Type.Object(
  {
    pages: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: "Place of the page in the document." }),
          markdown: Type.String(),
          images: Type.Optional(Type.Array(Type.Object({ id: Type.String(), image_base64: Type.Optional(Nullable(Type.String())) }, open))),
        },
        open,
      ),
    ),
    model: Type.String(),
    usage_info: Type.Optional(Type.Object({ pages_processed: Type.Optional(Type.Integer()) }, open)),
  },
  { ...open, $id: "CreateOcrResponse" },
);

const named = (body: Json): readonly string[] => idsIn(objectIn(body, "document")["file_id"]);

/** `POST /v1/ocr`. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "ocr",
          content: OCR,
          owned: { named },
          body: OcrBody,
          reply: OcrResult,
          examples: {
            "A document": {
              model: "sandbox-ocr",
              document: { type: "document_url", document_url: "data:text/plain,First%20page%0CSecond%20page" },
            },
            "An image": { model: "sandbox-ocr", document: { type: "image_url", image_url: "https://example.com/receipt.png" } },
          },
        },
      ],
    },
  }),
});
