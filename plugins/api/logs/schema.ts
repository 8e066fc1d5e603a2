import { type Static, Type } from "@sinclair/typebox";
import { open } from "../content/schema.ts";

const Headers = Type.Record(Type.String(), Type.String(), {
  description: "Credentials in them are masked, as in the gateway's own records.",
});
const Body = Type.Record(Type.String(), Type.Unknown(), { description: "The JSON body." });

/** A request that went elsewhere, with its answer. */
export const InsertedLog = Type.Object(
  {
    request: Type.Object(
      {
        url: Type.String({ maxLength: 16_384, description: "Where it was sent; credentials in it are masked." }),
        method: Type.Optional(Type.String({ pattern: "^[A-Za-z]{1,16}$", default: "POST", description: "HTTP method." })),
        provider: Type.Optional(Type.String({ maxLength: 128, description: "Who answered: `openai`." })),
        headers: Type.Optional(Headers),
        body: Body,
      },
      open,
    ),
    response: Type.Object(
      {
        status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, default: 200, description: "HTTP status." })),
        headers: Type.Optional(Headers),
        body: Body,
        response_time: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0, description: "Milliseconds until the answer was there." }),
        ),
      },
      open,
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "`trace_id`, `span_id`, `span_name` and `parent_span_id` place it in a trace; further keys are the client's own.",
      }),
    ),
  },
  { ...open, $id: "InsertedLog" },
);
export type Inserted = Static<typeof InsertedLog>;

/** More come in several requests. */
const MAX_RECORDS = 1_000;
export const InsertedLogs = Type.Union([InsertedLog, Type.Array(InsertedLog, { minItems: 1, maxItems: MAX_RECORDS })]);

export const InsertedIds = Type.Object(
  {
    status: Type.Literal("success"),
    ids: Type.Array(Type.String(), { description: "Of the records, in the order of the request: `GET /v1/logs/{logId}` reads them." }),
  },
  { $id: "InsertedLogIds" },
);
