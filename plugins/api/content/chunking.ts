import { Type } from "@sinclair/typebox";

const open = { additionalProperties: true } as const;

/** How a file is cut into pieces that can be found, as requests and answers say it. */
export const ChunkingStrategy = Type.Object(
  {
    type: Type.String({ description: "`auto` or `static` in requests; `static` or `other` in answers." }),
    static: Type.Optional(
      Type.Object(
        {
          max_chunk_size_tokens: Type.Integer({ minimum: 100, maximum: 4096, description: "Tokens of a piece; by default 800." }),
          chunk_overlap_tokens: Type.Integer({
            minimum: 0,
            description: "Tokens that a piece shares with the next, at most half of it; by default 400.",
          }),
        },
        open,
      ),
    ),
  },
  open,
);
