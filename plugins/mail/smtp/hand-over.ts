import { promisify } from "node:util";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { isJson, type MailRefused, messageOf, type OutgoingMail } from "#contract";
import { type Config, portOf } from "./config.ts";
import { tlsOf } from "./tls.ts";

/** How long one step with the server may take. */
const STEP_MS = 20_000;
/** The mail itself may take longer: servers look into it before they answer. */
const SILENT_MS = 50_000;

/** One connection, one mail. The connection ends with the signal, wherever it stands. */
export async function handOver(mail: OutgoingMail, signal: AbortSignal, config: Config): Promise<MailRefused | undefined> {
  signal.throwIfAborted();
  const message = await built(mail, config);
  const connection = new SMTPConnection(optionsOf(config));
  try {
    await untilAborted(connection, signal, () => conversation(connection, message, config));
    return undefined;
  } catch (thrown) {
    if (isFinal(thrown)) return { refused: messageOf(thrown) };
    throw thrown;
  } finally {
    connection.close();
  }
}

interface Message {
  readonly envelope: { readonly from: string; readonly to: string };
  readonly raw: Buffer;
}
async function conversation(connection: SMTPConnection, { envelope, raw }: Message, { user, password }: Config): Promise<void> {
  await promisify(connection.connect.bind(connection))();
  if (user !== undefined && password !== undefined)
    await promisify(connection.login.bind(connection))({ user, pass: password, credentials: { user, pass: password } });
  await promisify(connection.send.bind(connection))(envelope, raw);
  connection.quit();
}

/** Some failures come as an event and to no callback. */
function untilAborted(connection: SMTPConnection, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error); // an abort has a reason
    signal.addEventListener("abort", stop, { once: true });
    connection.on("error", reject);
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}

const optionsOf = (config: Config) => ({
  host: config.host,
  port: portOf(config),
  ...tlsOf(config),
  ...{ connectionTimeout: STEP_MS, greetingTimeout: STEP_MS, dnsTimeout: STEP_MS, socketTimeout: SILENT_MS, socketCloseTimeout: 0 },
});

/** Addresses stand alone in it: nothing that is read as a list of them. */
async function built({ id, to, subject, text, html }: OutgoingMail, { from }: Config): Promise<Message> {
  const address = /<([^<>]+)>$/.exec(from)?.[1] ?? from;
  const messageId = `<${id}@${address.split("@").at(-1)}>`;
  const headers = { "Auto-Submitted": "auto-generated" };
  const parts = { to: { name: "", address: to }, from, subject, text, html, messageId, headers };
  const raw = await new MailComposer({ ...parts, disableFileAccess: true, disableUrlAccess: true }).compile().build();
  return { envelope: { from: address, to }, raw };
}

/** The server will never take this mail for this person; what it says of the sender or of us, an operator can mend. */
function isFinal(thrown: unknown): boolean {
  if (!isJson(thrown)) return false;
  const { responseCode: status, command } = thrown;
  return typeof status === "number" && status >= 500 && FOR_GOOD.has(String(command));
}
const FOR_GOOD: ReadonlySet<string> = new Set(["RCPT TO", "DATA"]);
