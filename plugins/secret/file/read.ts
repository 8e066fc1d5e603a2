import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { memberOfText, type SecretManager } from "#contract";

/** As long as any secret is. */
const MAX_BYTES = 65_536;
/** A link that takes the place of the file meanwhile is not followed, and a pipe is not waited for. */
const OPENED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const PART = /^[A-Za-z0-9._-]{1,255}$/;

/** Reads of files below the directory, without the line's end that editors write. */
export function reader(directory: string): SecretManager["read"] {
  return async ({ organisationId, path, key }) => {
    if (!isAbsolute(directory)) return { missing: "the operator has not named a directory, with an absolute path, in FILE_SECRETS_DIR" };
    const parts = path.split("/");
    if (!parts.every((part) => PART.test(part) && !/^\.+$/.test(part))) return { missing: "its path leads out of the directory" };
    const root = await resolved(directory.replaceAll("{organisation}", organisationId));
    const file = root === undefined ? undefined : await resolved(join(root, ...parts));
    if (root === undefined || file === undefined) return { missing: "there is no such file" };
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep)) return { missing: "its path leads out of the directory" }; // by a link
    const text = await textIn(file);
    return typeof text === "string" ? memberOfText(text, key) : text;
  };
}

/** Where it really is, with no link in it; undefined where there is nothing. */
const resolved = (path: string): Promise<string | undefined> =>
  realpath(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === "ENOENT" || thrown.code === "ENOTDIR") return undefined;
    throw new Error(`the file cannot be looked for: ${thrown.code}`);
  });

/** Devices and pipes are no secrets: reading one could last for ever. */
async function textIn(file: string): Promise<string | { readonly missing: string }> {
  const handle = await open(file, OPENED);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return { missing: "it is no file" };
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
    if (bytesRead > MAX_BYTES) return { missing: `the file is longer than ${MAX_BYTES} bytes` };
    return buffer.toString("utf8", 0, bytesRead).replace(/\r?\n$/, "");
  } finally {
    await handle.close();
  }
}
