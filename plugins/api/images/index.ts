import { Type } from "@sinclair/typebox";
import { type BodyContent, definePlugin, Nullable, OneOf } from "#contract";
import { imageFileIds } from "../content/file-ids.ts";
import { FORM, PROMPT } from "../content/index.ts";
import { tokenUsage, usageAtEnd } from "../content/token-usage.ts";
import { formFile, Model, ModelInForm, open } from "../content/schema.ts";

const FORMATS = ["url", "b64_json"] as const;
const n = Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 10, default: 1, description: "How many images." })));

const ImageBody = Type.Object(
  {
    prompt: Type.String({ description: "What to draw." }),
    model: Type.Optional(Nullable(Model)),
    n,
    size: Type.Optional(Nullable(Type.String({ description: "Width and height, e.g. `1024x1024`." }))),
    quality: Type.Optional(Nullable(Type.String({ description: "E.g. `standard` or `hd`." }))),
    style: Type.Optional(Nullable(Type.String({ description: "E.g. `vivid` or `natural`." }))),
    response_format: Type.Optional(Nullable(OneOf(FORMATS, { default: "url", description: "Link or data." }))),
    stream: Type.Optional(Nullable(Type.Boolean({ default: false, description: "Answer as server-sent events, where the model can." }))),
    partial_images: Type.Optional(
      Nullable(Type.Integer({ minimum: 0, maximum: 3, default: 0, description: "How often a stream shows the image before it is done." })),
    ),
    user: Type.Optional(Type.String({ description: "Your user's id." })),
  },
  { ...open, $id: "CreateImageRequest" },
);

/** Specification E6; a multipart form. */
const ImageEditForm = Type.Object(
  {
    image: formFile("The image to edit."),
    prompt: Type.String({ description: "What to change." }),
    mask: Type.Optional(formFile("Its transparent areas are where to edit.")),
    model: Type.Optional(ModelInForm),
    n,
    size: Type.Optional(OneOf(["256x256", "512x512", "1024x1024"], { default: "1024x1024", description: "Width and height." })),
    response_format: Type.Optional(OneOf(FORMATS, { default: "url", description: "Link or data." })),
    user: Type.Optional(Type.String({ description: "Your user's id." })),
  },
  { ...open, $id: "CreateImageEditRequest" },
);

const ImageReference = Type.Object(
  {
    image_url: Type.Optional(Type.String({ description: "A link, or a data URL." })),
    file_id: Type.Optional(Type.String({ description: "Id of an uploaded file." })),
  },
  open,
);
/** The same as JSON. */
const ImageEditBody = Type.Object(
  {
    images: Type.Optional(
      Type.Array(ImageReference, { minItems: 1, description: "The images to edit; some providers take one as `image`." }),
    ),
    mask: Type.Optional(Type.Unknown({ description: "An image, as above; its transparent areas are where to edit." })),
    prompt: Type.String({ description: "What to change." }),
    model: Type.Optional(Nullable(Model)),
    n,
    stream: Type.Optional(Nullable(Type.Boolean({ default: false, description: "Answer as server-sent events, where the model can." }))),
  },
  { ...open, $id: "CreateImageEditJsonRequest" },
);

const ImageVariationForm = Type.Object(
  {
    image: formFile("The image to vary."),
    model: Type.Optional(ModelInForm),
    n,
    size: Type.Optional(OneOf(["256x256", "512x512", "1024x1024"], { default: "1024x1024", description: "Width and height." })),
    response_format: Type.Optional(OneOf(FORMATS, { default: "url", description: "Link or data." })),
    user: Type.Optional(Type.String({ description: "Your user's id." })),
  },
  { ...open, $id: "CreateImageVariationRequest" },
);

const ImageResult = Type.Object(
  {
    created: Type.Integer({ description: "Unix seconds." }),
    data: Type.Array(
      Type.Object(
        { b64_json: Type.Optional(Type.String()), url: Type.Optional(Type.String()), revised_prompt: Type.Optional(Type.String()) },
        open,
      ),
    ),
  },
  { ...open, $id: "ImagesResponse" },
);

const answered = { json: true, usage: tokenUsage, usageAtEnd } satisfies BodyContent;
const EVENTS = 'With `"stream": true` the answer is server-sent events: partial images, then the whole one with its usage.';

/** `/v1/images`: generations, edits (specification E6) and variations. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "imageGenerate",
          content: { ...PROMPT, ...answered },
          body: ImageBody,
          reply: ImageResult,
          examples: { "Two images": { model: "sandbox-image", prompt: "A cat with a hat", n: 2 } },
          description: EVENTS,
        },
        {
          operation: "imageEdit",
          content: { ...FORM, ...answered },
          owned: { named: imageFileIds },
          body: ImageEditForm,
          json: ImageEditBody,
          reply: ImageResult,
          examples: {
            "An image by its link": {
              model: "sandbox-image",
              prompt: "Give it a hat",
              images: [{ image_url: "https://example.com/cat.png" }],
            },
          },
          description: EVENTS,
        },
        { operation: "imageVariation", content: { ...FORM, ...answered }, body: ImageVariationForm, reply: ImageResult },
      ],
    },
  }),
});
