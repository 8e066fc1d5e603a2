import { type TObject, Type } from "@sinclair/typebox";
import type { Json } from "../json.ts";
import type { RuleInput } from "../resource.ts";
import type { Fields } from "./field.ts";
import type { AnyFieldResource, FieldAnswer } from "./rules.ts";
import type { View } from "./view.ts";

/** What a route about one record answers. */
export interface Answered {
  readonly reply: TObject;
  readonly answer: (record: Json, once: string, input: RuleInput) => Json;
}
/** The whole view, or what the rule wants of it. */
export function answered(
  { wrapped }: Pick<AnyFieldResource, "wrapped">,
  view: View,
  answer: FieldAnswer<Fields, TObject> | undefined,
): Answered {
  const plain = answeredPlainly(view, answer);
  if (!wrapped) return plain;
  const reply = Type.Object({ success: Type.Boolean({ description: "Always true." }), data: plain.reply });
  return { reply, answer: (record, once, input) => ({ success: true, data: plain.answer(record, once, input) }) };
}
function answeredPlainly(view: View, answer: FieldAnswer<Fields, TObject> | undefined): Answered {
  if (answer !== undefined && "schema" in answer) return { reply: answer.schema, answer: (record, once) => answer.of(record, once) };
  const shown = answer === undefined ? view : view.only(answer);
  return { reply: shown.schema, answer: (record, _, input) => shown.of(record, input) };
}
