import { expect, test } from "bun:test";
import { type Mail, Mails, type MailTransport, type OutgoingMail } from "#contract";
import { fakeHost } from "../../../tests/kit/host.ts";
import { until } from "../../../tests/servers/until.ts";
import { acting, actingNow, commandLine } from "../audit/acting.ts";
import { forgetMail } from "./mail-jobs.ts";
import { Outbox, type OutboxParts } from "./outbox.ts";

const MAIL: Mail = {
  organisationId: crypto.randomUUID(),
  kind: "test",
  to: ["ada@example.org"],
  subject: "S",
  text: "T",
  html: "<p>T</p>",
};
const DAY_MS = 86_400_000;

/** Processes of one deployment, and a clock that moves when told to. */
async function deployment(transport?: MailTransport) {
  const { host, clock, lines } = await fakeHost(["records", "counters", "vault"], { collections: [Mails] });
  const mails = host.records.in(Mails);
  const parts: OutboxParts = {
    ...{ mails, counters: host.counters, vault: host.vault, now: () => clock.now, log: host.log, redact: (text) => text, perHour: 100 },
    ...{ transport, leaves: transport !== undefined },
  };
  const rows = async () => (await mails.list({ limit: 100, offset: 0 })).data;
  return { mails, rows, clock, lines, another: (more: Partial<OutboxParts> = {}) => new Outbox({ ...parts, ...more }) };
}
const signal = (): AbortSignal => new AbortController().signal;

test("each address gets a mail of its own, once; what is no address gets none", async () => {
  const sent: OutgoingMail[] = [];
  const { another, rows } = await deployment({ send: async (mail) => void sent.push(mail) });
  const to = [
    "Ada@example.org ",
    "ada@example.org",
    "bo@example.org",
    "c d@example.org",
    "e@x.org, f@x.org",
    "g@x.org\r\nBcc: h@x.org",
    "nobody",
  ];
  expect(await another().send({ ...MAIL, to, subject: "one\r\nBcc: eve@example.org" })).toBe("queued");
  await until("both are gone", 5_000, () => sent.length === 2);
  expect(sent.map((mail) => mail.to).sort()).toEqual(["ada@example.org", "bo@example.org"]);
  expect(sent.map(({ subject }) => subject)).toEqual(["one Bcc: eve@example.org", "one Bcc: eve@example.org"]);
  await until("both are written down", 5_000, async () =>
    (await rows()).every(({ status, sealed }) => status === "sent" && sealed === null),
  );
});
test("what waits is sent by one of many processes", async () => {
  const sent: string[] = [];
  const send: MailTransport["send"] = async ({ to }) => void sent.push(to);
  const { another } = await deployment({ send });
  const people = Array.from({ length: 30 }, (_, at) => `person-${at}@example.org`);
  await another({ transport: undefined }).send({ ...MAIL, to: people });
  await Promise.all([another(), another(), another()].map((outbox) => outbox.sendDue(signal())));
  expect(sent.sort()).toEqual(people.sort());
});
test("what a dead process had begun is begun anew by another; what a living one is at is not", async () => {
  let hang = true;
  let begun = 0;
  const sent: string[] = [];
  const send: MailTransport["send"] = ({ to }) => {
    begun += 1;
    return hang ? new Promise(() => undefined) : Promise.resolve(void sent.push(to));
  };
  const { another, clock } = await deployment({ send });
  await another().send(MAIL);
  await until("it has begun", 5_000, () => begun === 1);
  hang = false;
  await another().sendDue(signal());
  expect(sent).toEqual([]);
  clock.now += 60_000;
  await another().sendDue(signal());
  expect(sent).toEqual(["ada@example.org"]);
});
test("a mail that came too late is not sent, and one that fails until then is given up", async () => {
  const send: MailTransport["send"] = () => Promise.reject(new Error("not now, ada@example.org"));
  const { another, clock, rows, lines } = await deployment({ send });
  await another().send({ ...MAIL, expiresAt: clock.now + DAY_MS });
  for (let tried = 0; tried < 100 && (await rows())[0]?.status === "queued"; tried += 1) {
    await another().sendDue(signal());
    clock.now += 1_800_000;
  }
  expect((await rows())[0]).toMatchObject({ status: "failed", last_error: "not now, (the recipient)", next_attempt_at: null });
  expect((await rows())[0]?.attempts).toBeLessThan(40);
  expect(JSON.stringify(lines)).not.toContain("ada@example.org");
});
test("one that ends lets go of what it is at, and another takes it at once", async () => {
  const { another, rows } = await deployment({ send: () => new Promise(() => undefined) });
  const ending = another();
  await ending.send(MAIL);
  await until("it has begun", 5_000, async () => (await rows())[0]?.attempts === 1);
  await ending.close();
  const sent: string[] = [];
  await another({ transport: { send: async ({ to }) => void sent.push(to) } }).sendDue(signal());
  expect(sent).toEqual(["ada@example.org"]);
});
test("it says that mail waits, until some goes", async () => {
  let away = true;
  const send: MailTransport["send"] = () => (away ? Promise.reject(new Error("no route")) : Promise.resolve(undefined));
  const { another, clock } = await deployment({ send });
  const outbox = another();
  await outbox.send(MAIL);
  await until("it is told", 5_000, () => outbox.health().degraded.length > 0);
  away = false;
  clock.now += 60_000;
  await outbox.sendDue(signal());
  expect(outbox.health().degraded).toEqual([]);
});
test("old mails are forgotten, whatever became of them", async () => {
  const { another, clock, mails, rows } = await deployment();
  expect(await another().send(MAIL)).toBe("kept");
  clock.now += 10 * DAY_MS;
  await another().send({ ...MAIL, to: ["bo@example.org"] });
  clock.now += 5 * DAY_MS;
  await forgetMail(mails, () => clock.now).run(signal());
  expect((await rows()).map(({ recipient }) => recipient)).toEqual(["bo@example.org"]);
});
test("who sets a mail off does not deliver it: that is the gateway's doing", async () => {
  const actors: string[] = [];
  const send: MailTransport["send"] = async () => void actors.push(actingNow("mail").actor.actor_type);
  const { another } = await deployment({ send });
  await acting(commandLine("ada"), () => another().send(MAIL));
  await until("it is gone", 5_000, () => actors.length > 0);
  expect(actors).toEqual(["system"]);
});
