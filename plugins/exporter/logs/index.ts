import { Type } from "@sinclair/typebox";
import { definePlugin, headerClasses, type LogRow, masker } from "#contract";
import { retention } from "./retention.ts";
import { rowMaker, withoutBodies } from "./row.ts";

const listOf = (csv: string): string[] =>
  csv
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");

/** Requests whose sender is not known belong to nobody who could read them: they are counted in metrics, not kept here. */
export default definePlugin({
  kind: "exporter",
  config: Type.Object(
    {
      days: Type.Integer({ default: 90, minimum: 1, maximum: 3650, description: "Days that records are kept." }),
      maxBytes: Type.Integer({
        default: 10_737_418_240,
        minimum: 1_048_576,
        description: "Bytes that records may take; the oldest go first.",
      }),
      headersToMask: Type.String({
        default: "",
        pattern: "^ *[\\w!#$%&'*+.^`|~-]* *(, *[\\w!#$%&'*+.^`|~-]* *)*$",
        description: "Comma-separated names of headers whose values are hashed in every record.",
      }),
      headerAliases: Type.String({ default: "", description: "Comma-separated further prefixes of gateway headers." }),
    },
    { additionalProperties: false },
  ),
  needs: ["logs", "kv", "vault"],
  setup({ logs, kv, vault, log, now }, { days, maxBytes, headersToMask, headerAliases }) {
    const rowOf = rowMaker(
      masker({ hash: vault.digest, toHash: listOf(headersToMask), classes: headerClasses(listOf(headerAliases)) }),
      log,
    );
    const pruning = retention({ logs, kv, log, now, days, maxBytes });
    return {
      provides: {
        record: rowOf,
        withoutBodies,
        write: (rows) => logs.write(rows as readonly LogRow[]), // made by `record`, perhaps before a restart
      },
      ready: async () => pruning.start(),
      close: () => pruning.stop(),
    };
  },
});
