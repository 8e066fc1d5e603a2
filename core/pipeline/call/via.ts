import type { HeaderClasses } from "#contract";
import type { Egress } from "../../egress/egress.ts";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";
import type { Try } from "./try.ts";
import { interpret, type Reading } from "./interpret.ts";
import { secretsSent } from "./secrets-sent.ts";
import { answerTo, requestOf } from "./sending.ts";
import { jsonOf } from "./whole-answer.ts";

interface Sender {
  readonly egress: Egress;
  readonly headers: HeaderClasses;
  readonly ownKeys: Pick<OwnKeys, "foundIn">;
}
/** The try as its provider's first answer leads it on, or what that answer means where it is a refusal. */
export async function ledOn(it: Try, by: Sender, signal: AbortSignal): Promise<{ readonly on: Try } | { readonly refused: Reading }> {
  const { via } = it.to.adapter;
  if (via === undefined) return { on: it };
  const first = at(via.path(it.ask), it);
  const request = await requestOf(first, null, by, signal);
  const answer = await answerTo(request, first, by, signal);
  if (answer.status >= 300) return { refused: await interpret(answer, it, secretsSent(it.to, request.headers, by.headers), by.headers) };
  const body = await jsonOf(await answer.text(), it.to.id);
  return { on: at(via.leads(body, it.ask), it) };
}
const at = (path: string, it: Try): Try => ({ ...it, to: { ...it.to, adapter: { ...it.to.adapter, path } } });
