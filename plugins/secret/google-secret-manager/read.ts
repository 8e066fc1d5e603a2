import { Buffer } from "node:buffer";
import { type Handles, isJson, type Json, memberOfText, type SecretManager } from "#contract";
import type { GoogleAuth } from "./auth.ts";
import { crc32c } from "./crc32c.ts";
import type { Tokens } from "./token.ts";

type Read = Awaited<ReturnType<SecretManager["read"]>>;
const MAX_ANSWER = 256 * 1024;
/** A secret has a project, perhaps a region of its own, a name, and a version where it is pinned. */
const PATH =
  /^projects\/([a-z0-9][a-z0-9.:-]{0,62})(?:\/locations\/([a-z][a-z0-9-]{0,30}))?\/secrets\/[A-Za-z0-9_-]{1,255}(?:\/versions\/[A-Za-z0-9_-]{1,63})?$/;

/** Reads of secrets by the name that the API has for them. `wifProjects` are asked as the gateway's own identity, no others. */
export function reader(send: Handles["fetch"], tokens: Tokens, wifProjects: readonly string[]): SecretManager["read"] {
  return async ({ auth, path, key }, signal) => {
    const as = auth as unknown as GoogleAuth; // the manager's own schema accepted it when it was saved
    const [, project = "", region] = PATH.exec(path) ?? [];
    if (project === "") return { missing: "its path is no name of a secret: projects/…/secrets/…, with /versions/… where one is pinned" };
    if (as.gcp_auth_type === "wif" && !wifProjects.includes(project))
      return { missing: `the operator has not named its project ${project} in GCP_SECRETS_PROJECTS` };
    const login = await tokens(as, signal);
    if ("refused" in login) return { missing: login.refused };
    const headers = { authorization: `Bearer ${login.token}` };
    const answer = await send(addressOf(path, region), { headers, signal, maxAnswerBytes: MAX_ANSWER });
    const json: unknown = await answer.json().catch(() => undefined);
    return valueIn(answer.status, isJson(json) ? json : {}, key);
  };
}

function addressOf(path: string, region: string | undefined): string {
  const host = region === undefined ? "secretmanager.googleapis.com" : `secretmanager.${region}.rep.googleapis.com`;
  return `https://${host}/v1/${path}${path.includes("/versions/") ? "" : "/versions/latest"}:access`;
}

/** By status: what Google says no to. A version that is disabled or destroyed is 400. */
const SAYS_NO: Readonly<Record<number, string>> = {
  400: "Secret Manager has no such version that is enabled (400)",
  401: "Secret Manager does not accept its sign-in (401)",
  403: "Secret Manager does not let its sign-in read it (403)",
  404: "Secret Manager has no such secret or version (404)",
};

function valueIn(status: number, { payload }: Json, key: string | null): Read {
  const no = SAYS_NO[status];
  if (no !== undefined) return { missing: no };
  if (status !== 200 || !isJson(payload) || typeof payload["data"] !== "string") throw new Error(`Secret Manager answered ${status}`);
  const bytes = Buffer.from(payload["data"], "base64");
  const { dataCrc32c: expected } = payload;
  if (expected !== undefined && String(expected) !== String(crc32c(bytes))) throw new Error("Secret Manager's answer did not arrive whole");
  return memberOfText(bytes.toString("utf8"), key);
}
