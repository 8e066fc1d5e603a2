import type { Dialect, Encoder } from "#contract";

const encoder: Encoder = {
  event: (event) => `data: ${JSON.stringify(event)}\n\n`,
  end: () => "data: end\n\n",
  note: (extra) => `data: ${JSON.stringify(extra)}\n\n`,
  error: (error) => `data: ${JSON.stringify({ error })}\n\n`,
};

/** A dialect as small as one can be: each frame is an event in JSON. */
export const TINY_DIALECT = {
  id: "tiny",
  operation: "chatComplete",
  decode: { start: () => null, event: ({ data }) => (data === "end" ? [] : [JSON.parse(data)]) },
  read: () => [],
  judged: { body: () => ({}), path: () => "", events: () => [] },
  write: () => ({}),
  encode: () => encoder,
  asksUsage: () => false,
  withUsage: (body) => body,
  isUsageFrame: (data) => data.includes('"type":"usage"'),
} satisfies Dialect;
