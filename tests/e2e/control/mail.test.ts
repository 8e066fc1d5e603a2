/** What is written to people: by a mail server that takes it, refuses it or is away, and without one. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifies } from "../../requirements/verifies.ts";
import { freePort } from "../../servers/port.ts";
import { bodyOf, ISO, itemsOf, type Json } from "../endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, type GatewayProcess, SOURCE, startGateway, type StartOptions, until } from "../process.ts";
import { certificate, type MailServer, mailServer } from "./mail-server.ts";
import { errorOf, refused } from "./api.ts";

const INVITES = "/v2/admin/users/invites";
const MAILS = "/v2/admin/mails";
const FROM = "Gateway <gateway@mail-tests.example>";
const PASSWORD = "mailCanaryPassword0123456789";

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});
async function gatewayWith(env: Readonly<Record<string, string>>, more: StartOptions = {}): Promise<GatewayProcess> {
  const gateway = await startGateway({ ...more, env: { LOG_LEVEL: "debug", ...env } });
  open.push({
    async close() {
      await gateway.stop();
      gateway.remove();
    },
  });
  return gateway;
}
async function serverWith(options: Parameters<typeof mailServer>[0] = {}): Promise<MailServer> {
  const server = await mailServer(options);
  open.push(server);
  return server;
}
const plainly = (port: number): Record<string, string> => ({
  ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(port), SMTP_FROM: FROM, SMTP_TLS: "none" },
});
const admin = (gateway: GatewayProcess, method: string, path: string, body?: Json): Promise<Answer> =>
  ask(gateway.base + path, method, ADMIN_KEY, body);
const invite = (gateway: GatewayProcess, email: string, more: Json = {}): Promise<Answer> =>
  admin(gateway, "POST", INVITES, { email, role: "member", workspaces: [], ...more });
const mailsOf = async (gateway: GatewayProcess, email: string): Promise<readonly Json[]> =>
  itemsOf(await admin(gateway, "GET", `${MAILS}?email=${encodeURIComponent(email)}`));
const became = (gateway: GatewayProcess, email: string, status: string): Promise<Json> =>
  until(`the mail to ${email} is ${status}`, async () => (await mailsOf(gateway, email)).find((mail) => mail["status"] === status));
const linkIn = (text: string): string => /https?:\/\/\S+token=\w+/.exec(text)?.[0] ?? expect.unreachable();

describe("with a mail server", () => {
  test(verifies("M.invite", "an invitation arrives as text and HTML, and its link opens a page that accepts it"), async () => {
    const server = await serverWith();
    const gateway = await gatewayWith(plainly(server.port));
    const made = bodyOf(await invite(gateway, "ada@mail-tests.example"));
    const mail = await until("the mail arrives", () => server.received[0]);
    expect(mail).toMatchObject({ from: "gateway@mail-tests.example", to: ["ada@mail-tests.example"], user: undefined, encrypted: false });
    expect(mail.headers).toMatchObject({ from: FROM, to: "ada@mail-tests.example", "auto-submitted": "auto-generated" });
    expect(mail.headers["subject"]).toStartWith("You are invited to ");
    expect([linkIn(mail.text), linkIn(mail.html)]).toEqual([String(made["invite_link"]), String(made["invite_link"])]);
    const page = await fetch(linkIn(mail.text));
    expect([page.status, page.headers.get("content-type"), page.headers.get("referrer-policy")]).toEqual([
      ...[200, "text/html; charset=utf-8", "no-referrer"],
    ]);
    const html = await page.text();
    for (const name of ["first_name", "last_name"]) expect(html).toContain(`name="${name}"`);
    const accepted = await ask(linkIn(mail.text), "POST", null, { first_name: "Ada", last_name: "L" });
    expect(accepted.status).toBe(200);
    expect(await became(gateway, "ada@mail-tests.example", "sent")).toMatchObject({
      ...{ object: "mail", kind: "invite", recipient: "ada@mail-tests.example", subject: mail.headers["subject"], attempts: 1 },
      ...{ sent_at: ISO, last_error: null, next_attempt_at: null },
    });
  });
  test(verifies("P.mail", "a new link is mailed too, and a mail that went says nothing any more"), async () => {
    const server = await serverWith();
    const gateway = await gatewayWith(plainly(server.port));
    const { id } = bodyOf(await invite(gateway, "bo@mail-tests.example"));
    const { inviteLink } = bodyOf(await admin(gateway, "POST", `${INVITES}/${id}/resend`));
    await until("both arrive", () => server.received.length === 2);
    expect(server.received.map(({ text }) => linkIn(text))).toContain(String(inviteLink));
    const sent = await until("both are written down", async () => {
      const mails = await mailsOf(gateway, "bo@mail-tests.example");
      return mails.every(({ status }) => status === "sent") && mails;
    });
    for (const { id: mail } of sent)
      expect(bodyOf(await admin(gateway, "GET", `${MAILS}/${mail}`))).toMatchObject({ text: null, html: null });
  });
  test(verifies("M.audit", "the audit log says who invited, and nothing of tries to deliver the mail"), async () => {
    const server = await serverWith();
    const gateway = await gatewayWith(plainly(server.port));
    const audited = async () =>
      bodyOf(await admin(gateway, "GET", "/v2/audit-logs?start_time=2020-01-01T00:00:00Z&end_time=2099-01-01T00:00:00Z"))[
        "records"
      ] as Json[];
    const before = (await audited()).length;
    await invite(gateway, "uma@mail-tests.example");
    await became(gateway, "uma@mail-tests.example", "sent");
    const entries = await audited();
    expect(entries.slice(0, entries.length - before).map(({ resource_type }) => resource_type)).toEqual(["invites"]);
    const [{ id } = {}] = await mailsOf(gateway, "uma@mail-tests.example");
    expect((await admin(gateway, "DELETE", `${MAILS}/${id}`)).status).toBe(200);
    expect((await audited())[0]).toMatchObject({ method: "DELETE", uri: `${MAILS}/${id}` });
  });
  test(verifies("M.outbox", "with the server away an invite is made at once, and mailed when the server is back"), async () => {
    const port = await freePort();
    const gateway = await gatewayWith(plainly(port));
    expect((await invite(gateway, "cy@mail-tests.example")).status).toBe(200);
    await until("it was tried", async () => (await mailsOf(gateway, "cy@mail-tests.example"))[0]?.["last_error"]);
    expect((await mailsOf(gateway, "cy@mail-tests.example"))[0]).toMatchObject({ status: "queued", next_attempt_at: ISO });
    const server = await serverWith({ port });
    await until("the mail arrives", () => server.received[0], 25_000);
    await became(gateway, "cy@mail-tests.example", "sent");
  }, 40_000);
  test(verifies("M.outbox", "a server that says not yet is asked again"), async () => {
    let asked = 0;
    const server = await serverWith({ judge: () => ((asked += 1) === 1 ? 451 : undefined) });
    const gateway = await gatewayWith(plainly(server.port));
    await invite(gateway, "di@mail-tests.example");
    const mail = await until("the mail arrives", () => server.received[0], 25_000);
    expect(mail.to).toEqual(["di@mail-tests.example"]);
    expect(await became(gateway, "di@mail-tests.example", "sent")).toMatchObject({ attempts: 2 });
  }, 40_000);
  test(verifies("M.refused", "a mailbox that there is not is not tried again, and the API says why"), async () => {
    const server = await serverWith({ judge: () => 550 });
    const gateway = await gatewayWith(plainly(server.port));
    const { invite_link } = bodyOf(await invite(gateway, "ed@mail-tests.example"));
    const failed = await became(gateway, "ed@mail-tests.example", "failed");
    expect(failed).toMatchObject({ attempts: 1, last_error: expect.stringContaining("550"), next_attempt_at: null });
    const read = bodyOf(await admin(gateway, "GET", `${MAILS}/${failed["id"]}`));
    expect(linkIn(String(read["text"]))).toBe(String(invite_link));
  });
  test(verifies("M.outbox", "a server that is slow holds up neither the request nor the end of the process"), async () => {
    const server = await serverWith({ judge: () => "slow" });
    const gateway = await gatewayWith(plainly(server.port));
    expect((await invite(gateway, "flo@mail-tests.example")).status).toBe(200);
    await until("it is being sent", () => server.asked.length > 0);
    expect((await mailsOf(gateway, "flo@mail-tests.example"))[0]).toMatchObject({ status: "queued", attempts: 1 });
    expect(await gateway.stop()).toBe(0);
  });
  test(verifies("M.crash", "a mail that waited when the process was killed is sent by the next one"), async () => {
    const port = await freePort();
    const killed = await startGateway({ env: plainly(port) });
    expect((await invite(killed, "gil@mail-tests.example")).status).toBe(200);
    await killed.stop("SIGKILL");
    const server = await serverWith({ port });
    await gatewayWith(plainly(port), { dataDir: killed.dataDir });
    expect((await until("the mail arrives", () => server.received[0], 40_000)).to).toEqual(["gil@mail-tests.example"]);
  }, 60_000);
  test(verifies("M.escaped", "names of workspaces are neither markup nor headers"), async () => {
    const server = await serverWith();
    const gateway = await gatewayWith(plainly(server.port));
    const name = 'Evil <img src=x onerror="a()"> & Co';
    const { id } = bodyOf(await admin(gateway, "POST", "/v2/admin/workspaces", { name }));
    bodyOf(await admin(gateway, "PUT", "/v2/admin/organisation", { name: "Ours\r\nBcc: eve@mail-tests.example" }));
    await invite(gateway, "hal@mail-tests.example", { workspaces: [{ id, role: "member" }] });
    const mail = await until("the mail arrives", () => server.received[0]);
    expect(mail.to).toEqual(["hal@mail-tests.example"]);
    expect(Object.keys(mail.headers)).not.toContain("bcc");
    expect(mail.headers["subject"]).toBe("You are invited to Ours Bcc: eve@mail-tests.example");
    expect(mail.text).toContain(name);
    expect(mail.html).toContain("Evil &lt;img src=x onerror=&quot;a()&quot;&gt; &amp; Co");
    expect(mail.html).not.toContain("<img");
  });
});

describe("a mail server that wants to know who comes", () => {
  test(verifies(
    "M.smtp",
    "is spoken to encrypted and signed in to; a wrong certificate and a wrong password wait for the operator",
  ), async () => {
    const ours = certificate();
    const secured = { ...ours, password: PASSWORD };
    const [starttls, tls] = [await serverWith(secured), await serverWith({ ...secured, secure: true })];
    const account = { SMTP_HOST: "localhost", SMTP_FROM: "gateway@mail-tests.example", SMTP_USER: "post", SMTP_PASSWORD: PASSWORD };
    for (const [server, mode] of [
      [starttls, "starttls"],
      [tls, "tls"],
    ] as const) {
      const gateway = await gatewayWith({ ...account, SMTP_PORT: String(server.port), SMTP_TLS: mode, SMTP_TLS_CA: ours.cert });
      await invite(gateway, "ivy@mail-tests.example");
      expect(await until("the mail arrives", () => server.received[0])).toMatchObject({ user: "post", encrypted: true });
    }
    const wrong = { ...account, SMTP_PORT: String(starttls.port) };
    for (const env of [wrong, { ...wrong, SMTP_TLS_CA: ours.cert, SMTP_PASSWORD: "anotherCanaryPassword012345" }]) {
      const gateway = await gatewayWith(env);
      await invite(gateway, "jo@mail-tests.example");
      const waits = await until("it was tried", async () =>
        (await mailsOf(gateway, "jo@mail-tests.example")).find((mail) => mail["last_error"]),
      );
      expect(waits).toMatchObject({ status: "queued" });
      const log = gateway.output();
      expect(log).toContain("mail.failed");
      for (const secret of [PASSWORD, "anotherCanaryPassword012345"]) expect(log + JSON.stringify(waits)).not.toContain(secret);
    }
    expect([starttls.received.length, tls.received.length]).toEqual([1, 1]);
  }, 60_000);
  test(verifies("M.smtp", "a server that offers no encryption is told nothing, where encryption is asked for"), async () => {
    const server = await serverWith();
    const gateway = await gatewayWith({ ...plainly(server.port), SMTP_TLS: "starttls" });
    await invite(gateway, "kim@mail-tests.example");
    await until("it was tried", async () => (await mailsOf(gateway, "kim@mail-tests.example"))[0]?.["last_error"]);
    expect([server.asked, server.received]).toEqual([[], []]);
  });
  test.each([
    [{ SMTP_TLS: "sometimes" }, "SMTP_TLS"],
    [{ SMTP_PORT: "0" }, "SMTP_PORT"],
    [{ SMTP_FROM: "nobody" }, "SMTP_FROM"],
    [{ SMTP_FROM: "a@b.example\nBcc: c@d.example" }, "SMTP_FROM"],
    [{ SMTP_PASSWORD: PASSWORD }, "SMTP_PASSWORD"],
    [{ SMTP_HOST: "mail.example", SMTP_USER: "post", SMTP_PASSWORD: PASSWORD }, "SMTP_TLS"],
  ])(verifies("M.settings", "%p is refused at start"), (env, named) => {
    const dataDir = mkdtempSync(join(tmpdir(), "gateway-mail-"));
    const own = { ...process.env, PORT: "0", GATEWAY_DATA_DIR: dataDir, ...plainly(25), ...env };
    const { exitCode, stdout, stderr } = Bun.spawnSync([...SOURCE, "serve"], { env: own, timeout: 20_000 });
    rmSync(dataDir, { recursive: true, force: true });
    const said = stdout.toString() + stderr.toString();
    expect(exitCode).toBe(1);
    expect(said).toContain(named);
    expect(said).not.toContain(PASSWORD);
  });
});

describe("without a mail server", () => {
  test(verifies("M.kept", "what would have been sent is shown in the API, to who may see it"), async () => {
    const gateway = await gatewayWith({});
    const { invite_link } = bodyOf(await invite(gateway, "lou@mail-tests.example"));
    const [kept] = await mailsOf(gateway, "LOU@mail-tests.example");
    expect(kept).toMatchObject({ status: "kept", kind: "invite", attempts: 0, next_attempt_at: null, expires_at: ISO });
    expect(kept).not.toHaveProperty("text");
    const read = bodyOf(await admin(gateway, "GET", `${MAILS}/${kept?.["id"]}`));
    expect([linkIn(String(read["text"])), linkIn(String(read["html"]))]).toEqual([String(invite_link), String(invite_link)]);
    expect((await ask(String(invite_link), "POST", null, { first_name: "Lou", last_name: "M" })).status).toBe(200);
    const scoped = bodyOf(
      await admin(gateway, "POST", "/v2/api-keys/organisation/service", { name: "users only", scopes: ["organisation_users.list"] }),
    );
    expect(errorOf(await ask(gateway.base + MAILS, "GET", String(scoped["key"])))).toEqual(refused(403, "AB03"));
    expect(bodyOf(await admin(gateway, "DELETE", `${MAILS}/${kept?.["id"]}`))).toEqual({});
    expect(await mailsOf(gateway, "lou@mail-tests.example")).toEqual([]);
  });
  test(verifies("M.link", "the link of an invitation is shown to who may invite, and to nobody who may only read mails"), async () => {
    const gateway = await gatewayWith({});
    const { invite_link } = bodyOf(await invite(gateway, "val@mail-tests.example", { role: "admin" }));
    const [kept] = await mailsOf(gateway, "val@mail-tests.example");
    const readAs = async (scopes: readonly string[]): Promise<Json> => {
      const made = bodyOf(await admin(gateway, "POST", "/v2/api-keys/organisation/service", { name: scopes.join(), scopes }));
      return bodyOf(await ask(`${gateway.base}${MAILS}/${kept?.["id"]}`, "GET", String(made["key"])));
    };
    expect(await readAs(["mails.list", "mails.read"])).toMatchObject({ recipient: "val@mail-tests.example", text: null, html: null });
    const inviting = await readAs(["mails.list", "mails.read", "organisation_users.create"]);
    expect(linkIn(String(inviting["text"]))).toBe(String(invite_link));
  }, 20_000);
  test(verifies("M.kept", "another organisation sees nothing of it"), async () => {
    const gateway = await gatewayWith({ GATEWAY_SECRET_KEY: "mailTestsSecretKey0123456789ABCDEF" });
    await invite(gateway, "mia@mail-tests.example");
    const [kept] = await mailsOf(gateway, "mia@mail-tests.example");
    const env = { ...process.env, GATEWAY_SECRET_KEY: "mailTestsSecretKey0123456789ABCDEF", GATEWAY_DATA_DIR: gateway.dataDir };
    const words = ["organisations", "create", "Theirs", "--owner", "owner@mail-tests.example"];
    const made = Bun.spawnSync([...SOURCE, ...words], { env });
    const key = /admin key[^\n]*?\s([A-Za-z0-9_-]{20,})/i.exec(made.stdout.toString())?.[1] ?? expect.unreachable(made.stdout.toString());
    expect(itemsOf(await ask(gateway.base + MAILS, "GET", key))).toEqual([]);
    expect(errorOf(await ask(`${gateway.base}${MAILS}/${kept?.["id"]}`, "GET", key))).toEqual(refused(404, "AB08"));
  });
  test(verifies("M.secret", "a link is in no log, and sealed where it is stored"), async () => {
    const gateway = await gatewayWith({});
    const { invite_link } = bodyOf(await invite(gateway, "ned@mail-tests.example"));
    const token = new URL(String(invite_link)).searchParams.get("token") ?? expect.unreachable();
    await gateway.stop();
    expect(gateway.output()).not.toContain(token);
    const files = readdirSync(gateway.dataDir, { recursive: true, encoding: "utf8" }).map((name) => join(gateway.dataDir, name));
    const stored = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, "latin1"));
    expect(stored.some((bytes) => bytes.includes("ned@mail-tests.example"))).toBeTrue();
    expect(stored.some((bytes) => bytes.includes(token))).toBeFalse();
  });
  test(
    verifies("M.bounded", "beyond what an organisation or a person may get within an hour, invites are refused and change nothing"),
    async () => {
      const gateway = await gatewayWith({ GATEWAY_MAILS_PER_HOUR: "12" });
      const { id, invite_link } = bodyOf(await invite(gateway, "olga@mail-tests.example"));
      const again = () => admin(gateway, "POST", `${INVITES}/${id}/resend`);
      let last = String(invite_link);
      for (let sent = 1; sent < 10; sent += 1) last = String(bodyOf(await again())["inviteLink"]);
      const toOne = await again();
      expect(errorOf(toOne)).toEqual(refused(429, "AB06"));
      expect(Number(toOne.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await ask(last, "POST", null, { first_name: "Olga", last_name: "P" })).status).toBe(200); // the link before goes on working
      for (const email of ["pia@mail-tests.example", "quin@mail-tests.example"]) expect((await invite(gateway, email)).status).toBe(200);
      expect(errorOf(await invite(gateway, "rae@mail-tests.example"))).toEqual(refused(429, "AB06"));
      expect(itemsOf(await admin(gateway, "GET", `${INVITES}?email=rae@mail-tests.example`))).toEqual([]);
    },
  );
  test(verifies("M.public-url", "links begin with where people reach the gateway"), async () => {
    const gateway = await gatewayWith({ GATEWAY_PUBLIC_URL: "https://ai.mail-tests.example/gateway" });
    const { invite_link } = bodyOf(await invite(gateway, "sue@mail-tests.example"));
    expect(String(invite_link)).toStartWith("https://ai.mail-tests.example/gateway/v2/admin/users/invites/accept?token=");
  });
});
