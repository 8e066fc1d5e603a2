import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { type Fields, incomplete, PROJECT } from "./target.ts";

const KeyFile = Type.Object({
  client_email: Type.String({ minLength: 1, maxLength: 320 }),
  private_key: Type.String({ minLength: 1 }),
  private_key_id: Type.Optional(Type.String({ maxLength: 320 })),
  project_id: Type.Optional(Type.String({ pattern: PROJECT })),
  token_uri: Type.Optional(Type.String({ maxLength: 2048 })),
});
const check = TypeCompiler.Compile(KeyFile);
const FIELD = "vertex_service_account_json";

/** What is read of a service account's key file. */
export type ServiceAccount = Static<typeof KeyFile>;

/** The key file of a target; throws TARGET_INVALID when there is none, or when it is not one. Its contents are never repeated. */
export function serviceAccountOf({ vertex_service_account_json: given }: Fields): ServiceAccount {
  if (given === undefined) throw incomplete(FIELD, "is missing, and vertex_auth_type asks for it");
  const file: unknown = typeof given === "string" ? parsed(given) : given;
  if (check.Check(file)) return file;
  const member = check.Errors(file).First()?.path.slice(1);
  throw incomplete(FIELD, `must be the JSON key file of a service account${member ? `; its ${member} is missing or not valid` : ""}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // judged by the caller, in a sentence without the text
  }
}
