import type { Vault } from "./capability.ts";
import type { Letter } from "./letter.ts";

/** What a mail says. It is stored sealed, for the links in it open something. */
export type MailContent = Pick<Letter, "text" | "html">;

const nameOf = (id: string): string => `mail ${id}`;
export const sealMail = ({ text, html }: MailContent, id: string, vault: Pick<Vault, "sealContent">): string =>
  Buffer.from(vault.sealContent(new TextEncoder().encode(JSON.stringify({ text, html })), nameOf(id))).toString("base64");

export function openMail(sealed: string, id: string, vault: Pick<Vault, "openContent">): MailContent {
  const plain = vault.openContent(Buffer.from(sealed, "base64"), nameOf(id));
  return JSON.parse(new TextDecoder().decode(plain)) as MailContent; // `sealMail` wrote it
}
