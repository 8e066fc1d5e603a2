import { type Body, GatewayError, type Json, type MaybePromise, parseJson } from "#contract";
import { MOST, tooMany } from "./named-ids.ts";
import type { PassedField } from "../call/passing-form.ts";
import { PassingTexts, readField } from "../call/passing-texts.ts";

/** The ids in a field, as if it stood in a JSON body. */
export type IdsOfField = (field: Json) => MaybePromise<readonly string[]>;
/** Throws where one of them is not there. */
export type JudgeIds = (ids: readonly string[]) => Promise<void>;

/**
 * The ids that the text fields of a form name are judged: at once where the form has been read, else as they pass. A form
 * that names what is not there is broken off before its end, so that nobody takes it for a whole one.
 */
export function judgeForm(body: Body, idsOf: IdsOfField, judge: JudgeIds): MaybePromise<void> {
  if (body.kind === "form-read") return judgeFields(fieldsRead(body.fields), idsOf, judge);
  if ((body.kind !== "form" && body.kind !== "raw") || body.watch === undefined) return;
  const texts = new PassingTexts(body.contentType);
  body.watch(async (piece) => {
    if (piece) await judgeFields(texts.add(piece), idsOf, judge);
    else texts.end();
  });
}

async function judgeFields(fields: readonly PassedField[], idsOf: IdsOfField, judge: JudgeIds): Promise<void> {
  for (const { name, text, isWhole } of fields) {
    if (!isWhole && !MAY_BE_JSON.test(text)) continue; // longer than any id
    if (!isWhole) throw tooLong(name);
    const ids = await idsOf({ [lastName(name)]: jsonIn(text) });
    if (ids.length > MOST) throw tooMany();
    if (ids.length > 0) await judge(ids);
  }
}
/** The texts of a list stand in one, a line each. */
const fieldsRead = (fields: Readonly<Record<string, string>>): readonly PassedField[] =>
  Object.entries(fields).flatMap(([name, text]) => (name.endsWith("[]") ? text.split("\n") : [text]).map((part) => readField(name, part)));

/** `ids[]` is called `ids`, and `image[file_id]` is a `file_id`. */
const lastName = (name: string): string => {
  const [called = "", ...inner] = name.split(/[[\]]+/).filter((step) => !/^\d*$/.test(step));
  return inner.at(-1) ?? called;
};
const BEGINS_AS_JSON = /^\s*[{["]/;
/** The same of a beginning, which may end before it says. */
const MAY_BE_JSON = /^\s*(?:[{["]|$)/;
function jsonIn(text: string): unknown {
  if (!BEGINS_AS_JSON.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return text; // it only begins so
  }
}
const tooLong = (name: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", {
    what: `The text field ${JSON.stringify(name.slice(0, 100))} of the form is too long to be looked through for ids of other workspaces; send it as a file.`,
  });
