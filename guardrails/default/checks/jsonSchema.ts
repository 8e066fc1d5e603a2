import { Type } from "@sinclair/typebox";
import { Ajv, type AnySchemaObject, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { defineCheck, messageOf } from "#contract";
import { Not } from "../counted.ts";
import { jsonIn } from "../json.ts";
import { patternOf } from "../pattern.ts";
import { remembered } from "../remembered.ts";
import { decided, noText } from "../text.ts";

export default defineCheck({
  id: "default.jsonSchema",
  title: "JSON in the text follows a schema",
  on: ["input", "output"],
  targets: ["llm", "mcp_tools"],
  measures: () => true,
  params: Type.Object({
    schema: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema, draft 2020-12 unless its `$schema` names draft-07." }),
    not: Not,
  }),
  problems({ schema }) {
    try {
      validators.get(JSON.stringify(schema));
      return [];
    } catch (thrown) {
      return [`The schema cannot be used: ${messageOf(thrown)}.`];
    }
  },
  /** How often a schema looks at a value cannot be told from its size: references double, items are compared with each other. */
  cost: () => Number.POSITIVE_INFINITY,
  run({ text, params: { schema, not } }) {
    if (text === "") return noText;
    const validate = validators.get(JSON.stringify(schema));
    const judged = jsonIn(text).map((json) => ({ json, valid: validate(json), errors: shown(validate.errors) }));
    const best = judged.find(({ valid }) => valid) ?? judged[0];
    if (best === undefined) return decided(false, { explanation: "The text holds no JSON." });
    const explanation = best.valid ? "JSON in the text follows the schema." : "No JSON in the text follows the schema.";
    return decided(best.valid !== not, { matchedJson: best.json, not, validationErrors: best.errors, explanation });
  },
});

const shown = (errors: readonly ErrorObject[] | null | undefined) =>
  (errors ?? []).slice(0, 50).map(({ instancePath, message }) => ({ path: instancePath, message: message ?? "" }));

/** Patterns inside schemas are users' patterns too. Ajv tells patterns apart by their text, and wants `code` only for code it writes to disk. */
const engine = (pattern: string) => {
  const compiled = patternOf(pattern);
  return { test: (text: string): boolean => compiled.test(text), toString: (): string => pattern };
};
const regExp = Object.assign(engine, { code: "" }) as unknown as NonNullable<NonNullable<Options["code"]>["regExp"]>; // ajv calls `test` and `toString` of the result only
const OPTIONS: Options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false, code: { regExp } };

/** Characters of all schemas whose validators are kept. */
const MAX_KEPT = 500_000;
const schemaLength = ({ length }: string): number => length;
/** A schema's own validator: one instance each, so that equal `$id`s of different users do not meet. */
const validators = remembered(MAX_KEPT, schemaLength, (text): ValidateFunction => {
  const schema = JSON.parse(text) as AnySchemaObject; // the parameters' schema accepted nothing but objects
  if (schema["$async"]) throw new Error("asynchronous schemas are not supported");
  const Draft = String(schema["$schema"]).includes("draft-07") ? Ajv : Ajv2020;
  const judge = (judges[Draft === Ajv ? "draft-07" : "2020-12"] ??= new Draft(OPTIONS));
  if (!judge.validateSchema(schema)) throw new Error(`schema is invalid: ${judge.errorsText()}`);
  return new Draft({ ...OPTIONS, validateSchema: false }).compile(schema);
});
/** Whether a schema is one takes a hundredth of the time when the drafts' own schemas are compiled once. */
const judges: { [draft: string]: Ajv | Ajv2020 } = {};
