import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { messageOf } from "#contract";
import { firstProblem } from "../json/shape.ts";
import { refused } from "./key-copies.ts";

/** What a backup says of itself, in its file `backup.json`. It is written last. */
const BackupNote = Type.Object({
  form: Type.Literal(1, { description: "How the folder is laid out." }),
  made_at: Type.String({ description: "When it was complete." }),
  storage: Type.Array(Type.String(), { description: "Storage plugins whose copies it holds, each in a folder of its id." }),
  seal: Type.Union([Type.String(), Type.Null()], { description: "Tells which secret key opens what it holds." }),
  keys: Type.Array(Type.String(), { description: "Key files it holds." }),
  sha256: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: "Of each file beside this one. Backups of earlier versions have none." }),
  ),
  spool: Type.Optional(Type.Integer({ minimum: 0, description: "Files it holds of records that waited on disk for their store." })),
});
export type BackupNote = Static<typeof BackupNote>;

export const NOTE_FILE = "backup.json";
export const KEYS_FOLDER = "keys";

export function readNote(folder: string): BackupNote {
  const file = join(folder, NOTE_FILE);
  if (!existsSync(file)) throw refused(`${folder} is no backup: it has no ${NOTE_FILE}`);
  const note = parsed(file);
  const problem = firstProblem(BackupNote, note);
  if (problem) throw refused(`${file} is not one this build can read: ${problem.path}: ${problem.why}`);
  return Value.Cast(BackupNote, note); // has just been judged
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw refused(`${file} cannot be read: ${messageOf(error)}`);
  }
}
