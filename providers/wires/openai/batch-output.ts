import { type Adapter, type AdapterInput, type Json, UpstreamFailure } from "#contract";

type PathOf = (ask: AdapterInput) => string;

/** A batch's output, which OpenAI gives in two calls: the batch says in which file it is. `place` puts a path where its API has it. */
export const batchOutput = (place: PathOf = ({ path }) => path): Adapter => ({
  via: {
    path: (ask) => place({ ...ask, path: ask.path.replace(/\/output$/, "") }),
    leads: (batch, ask) => place({ ...ask, path: `/files/${encodeURIComponent(outputOf(batch))}/content` }),
  },
});

function outputOf({ id, status, output_file_id: output }: Json): string {
  if (typeof output === "string" && output !== "") return output;
  const message = `The batch ${String(id)} has no output: it is ${String(status)}.`;
  throw new UpstreamFailure(404, { message, type: "invalid_request_error", param: "batch_id", code: null });
}
