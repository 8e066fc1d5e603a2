import type { Vault } from "./capability.ts";
import type { Letter } from "./letter.ts";

/** What a mail says. It is stored sealed, for the links in it open something. */
export interface MailContent extends Pick<Letter, "text" | "html"> {
  /** The scope that gives what its link gives: whoever else reads mails does not see what it says. Absent: it has no such link. */
  readonly linkScope?: string | undefined;
}

const nameOf = (id: string): string => `mail ${id}`;
export const sealMail = ({ text, html, linkScope }: MailContent, id: string, vault: Pick<Vault, "sealContent">): string =>
  Buffer.from(vault.sealContent(new TextEncoder().encode(JSON.stringify({ text, html, linkScope })), nameOf(id))).toString("base64");

export function openMail(sealed: string, id: string, vault: Pick<Vault, "openContent">): MailContent {
  const plain = vault.openContent(Buffer.from(sealed, "base64"), nameOf(id));
  return JSON.parse(new TextDecoder().decode(plain)) as MailContent; // `sealMail` wrote it
}
