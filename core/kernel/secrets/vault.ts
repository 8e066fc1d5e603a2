import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { GatewayError, messageOf, urlTokens, type Vault } from "#contract";
import { secretIn } from "./key-file.ts";
import { ADMIN_KEY_FILE, GATEWAY_KEY_FILE, SECRET_KEY_FILE } from "./key-file-names.ts";
import type { ProcessLog } from "../process/log.ts";
import { SETTINGS, type Settings } from "../settings/settings.ts";

const FORM = "v1.";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals stored secrets (AES-256-GCM) and digests keys (HMAC-SHA-256); both keys are derived from one secret. */
export function createVault(secret: string, hide: ProcessLog["hide"], keyPrefix = ""): Vault {
  const sealKey = derive(secret, "seal");
  const contentKey = derive(secret, "content");
  const digestKey = derive(secret, "digest");
  const hideWhole = (plain: string): void => {
    hide(plain);
    for (const token of urlTokens(plain)) hide(token); // of a URL, the rest may be told without the whole
  };
  return {
    seal(plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealKey, iv);
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      hideWhole(plain);
      return FORM + Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(sealed) {
      const plain = opened(sealKey, sealed);
      hideWhole(plain);
      return plain;
    },
    sealContent(content, name) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", contentKey, iv).setAAD(Buffer.from(name));
      const body = [cipher.update(content), cipher.final()];
      return Buffer.concat([iv, cipher.getAuthTag(), ...body]);
    },
    openContent(sealed, name) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      return openedBytes(contentKey, bytes, Buffer.from(name));
    },
    digest: (text) => createHmac("sha256", digestKey).update(text).digest("hex"),
    keyPrefix,
  };
}

const derive = (secret: string, purpose: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "ai-gateway", purpose, 32));

function opened(key: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(FORM.length), "base64url");
  if (!sealed.startsWith(FORM)) throw new Error(NOT_SEALED);
  return openedBytes(key, bytes, NO_NAME).toString("utf8");
}
const NOT_SEALED = "A stored secret is not in the sealed form.";
const NO_NAME = Buffer.alloc(0);

function openedBytes(key: Buffer, bytes: Buffer, name: Buffer): Buffer {
  if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error(NOT_SEALED);
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)).setAAD(name);
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new Error("A stored secret could not be opened: it was sealed with another GATEWAY_SECRET_KEY, or altered.", { cause });
  }
}

/** GATEWAY_SECRET_KEY, or the data folder's `secret.key`, made at the first start. */
export function vaultSecret({ secretKey, dataDir }: Settings): string {
  if (secretKey !== undefined) return secretKey;
  const path = secretKeyFile({ dataDir });
  refuseNewKey(dataDir);
  makeFolder(dataDir);
  return secretIn({ path, setting: SETTINGS.secretKey, remedy: remedyFor(path) }, () => randomBytes(32).toString("base64url")).secret;
}

export const secretKeyFile = ({ dataDir }: Pick<Settings, "dataDir">): string => join(dataDir, SECRET_KEY_FILE);

/**
 * Keys in files are digested under the secret key, which is made before them: a new one would know none of them, and would
 * stand in the place of the one that is missing.
 */
function refuseNewKey(dataDir: string): void {
  const path = secretKeyFile({ dataDir });
  const key = [ADMIN_KEY_FILE, GATEWAY_KEY_FILE].find((file) => existsSync(join(dataDir, file)));
  if (key === undefined || existsSync(path)) return;
  const why = `there is no such file, and ${key} beside it was made with one. ${remedyFor(path)}`;
  throw new GatewayError("SETTING_INVALID", { name: "GATEWAY_SECRET_KEY", value: path, why });
}

const remedyFor = (path: string): string =>
  `Put back the file that the database was made with, from a backup: keys and sealed credentials open with no other. ` +
  `For a new deployment, with an empty database, make one with: (umask 077; openssl rand -hex 32 > ${path})`;

function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    const why = `the folder cannot be made: ${messageOf(thrown)}`;
    throw new GatewayError("SETTING_INVALID", { name: "GATEWAY_DATA_DIR", value: dataDir, why }, { cause: thrown });
  }
}
