import { Type } from "@sinclair/typebox";
import { Nullable } from "#contract";
import { ChunkingStrategy } from "../content/chunking.ts";

/* What assistants and runs work with, and how they answer. */

const open = { additionalProperties: true } as const;
const MAX_FILES = 20;
const MAX_FILES_OF_A_STORE = 10_000;

const Tool = Type.Object(
  {
    type: Type.String({ description: "`code_interpreter`, `file_search` or `function`." }),
    file_search: Type.Optional(
      Type.Object(
        {
          max_num_results: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "Pieces of files that it finds at most." })),
        },
        open,
      ),
    ),
    function: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: "Name of the function." }),
          description: Type.Optional(Type.String({ description: "What it does." })),
          parameters: Type.Optional(Type.Object({}, { ...open, description: "Its arguments, as a JSON Schema." })),
          strict: Type.Optional(Nullable(Type.Boolean({ default: false, description: "Arguments obey the schema exactly." }))),
        },
        open,
      ),
    ),
  },
  open,
);
export const toolsOf = (maxItems: number) => Type.Array(Tool, { maxItems, description: "Tools it may use." });

const StoreToMake = Type.Object(
  {
    file_ids: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_FILES_OF_A_STORE, description: "Ids of uploaded files." })),
    chunking_strategy: Type.Optional(ChunkingStrategy),
    metadata: Type.Optional(Nullable(Type.Object({}, open))),
  },
  open,
);
export const ToolResources = Type.Optional(
  Nullable(
    Type.Object(
      {
        code_interpreter: Type.Optional(
          Type.Object(
            { file_ids: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_FILES, description: "Files that the code may read." })) },
            open,
          ),
        ),
        file_search: Type.Optional(
          Type.Object(
            {
              vector_store_ids: Type.Optional(Type.Array(Type.String(), { maxItems: 1, description: "The store that is searched." })),
              vector_stores: Type.Optional(Type.Array(StoreToMake, { maxItems: 1, description: "A store to make of these files." })),
            },
            open,
          ),
        ),
      },
      { ...open, description: "Files and stores that the tools use." },
    ),
  ),
);

export const ResponseFormat = Type.Optional(
  Nullable(
    Type.Union([Type.String(), Type.Object({ type: Type.Optional(Type.String({ description: "`text`, `json_object` …" })) }, open)], {
      description: "`auto`, or the form the answer has.",
    }),
  ),
);
export const ToolChoice = Type.Optional(
  Nullable(
    Type.Union(
      [Type.String(), Type.Object({ type: Type.String(), function: Type.Optional(Type.Object({ name: Type.String() }, open)) }, open)],
      { description: "`none`, `auto`, `required`, or one tool." },
    ),
  ),
);
export const Truncation = Type.Optional(
  Nullable(
    Type.Object(
      {
        type: Type.String({ description: "`auto` or `last_messages`." }),
        last_messages: Type.Optional(Nullable(Type.Integer({ minimum: 1, description: "How many messages are kept." }))),
      },
      { ...open, description: "Which messages of a long thread the model sees." },
    ),
  ),
);
/** How freely the model chooses its words. */
export const sampling = {
  temperature: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 2, default: 1, description: "Higher is more surprising." }))),
  top_p: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1, default: 1, description: "Share of the likeliest words." }))),
};
