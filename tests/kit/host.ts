import {
  type Catalog,
  type Collection,
  type Dispatch,
  GatewayError,
  type Generations,
  type GuardrailJudge,
  headerClasses,
  type Host,
  type Logger,
  type Mail,
  type Manifest,
  type Need,
  type Storage,
  type Json,
  SCOPE_TABLE,
} from "#contract";
import { answerOf } from "../../core/egress/answer.ts";
import type { Egress, EgressRequest } from "../../core/egress/egress.ts";
import { hostFor } from "../../core/kernel/host.ts";
import { LateHandles } from "../../core/kernel/late-handles.ts";
import { createLog } from "../../core/kernel/process/log.ts";
import { missingSecrets } from "../../core/kernel/secrets/missing-secrets.ts";
import { shareRecords } from "../../core/kernel/records/records.ts";
import { createVault } from "../../core/kernel/secrets/vault.ts";
import memory from "../../storage/memory/index.ts";

/** One captured log line. */
export interface LogLine {
  readonly level: Parameters<Logger>[0];
  readonly event: string;
  readonly [field: string]: unknown;
}
/** A host for plugin tests: the kernel's own, over memory storage, with a clock that moves when told to. */
export interface FakeHost<N extends Need> {
  readonly host: Host<N>;
  /** Redacted, as the process log would have them. */
  readonly lines: readonly LogLine[];
  /** What the plugin's `fetch` sent. */
  readonly sent: readonly Request[];
  /** What it wrote to people. */
  readonly mails: readonly Mail[];
  readonly storage: Storage;
  readonly clock: { now: number };
}
export interface FakeHostOptions {
  /** Milliseconds since the epoch at which the clock stands. */
  readonly now?: number;
  /** Answers the plugin's requests; without it, any request is an error. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  /** By the name the manifest gives them. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Its configuration, where the manifest takes hosts from it. */
  readonly config?: Json;
  readonly collections?: readonly Collection[];
  readonly catalog?: Catalog;
  readonly generations?: Generations;
  readonly guard?: GuardrailJudge;
  readonly dispatch?: Dispatch;
  readonly storage?: Storage;
  readonly id?: string;
}
const START = Date.UTC(2026, 0, 1);

export async function fakeHost<const N extends Need = never>(needs: readonly N[], options: FakeHostOptions = {}): Promise<FakeHost<N>> {
  const clock = { now: options.now ?? START };
  const lines: LogLine[] = [];
  const sent: Request[] = [];
  const mails: Mail[] = [];
  const now = () => clock.now;
  const log = createLog({ level: "debug", now, write: (line) => lines.push(JSON.parse(line) as LogLine) }); // the log writes this form
  const storage = options.storage ?? (await memory.setup({ log: log.log, now }, {})).provides;
  const collections = options.collections ?? [];
  await storage.records?.migrate(collections);
  const records =
    storage.records && storage.feed && (await shareRecords({ store: storage.records, feed: storage.feed, collections, log: log.log }));
  const parts = {
    egress: fakeEgress(sent, options.fetch),
    keepsTables: false,
    vault: createVault("a secret key for tests, long enough", log.hide),
    catalog: options.catalog ?? EMPTY_CATALOG,
    generations: options.generations ?? NO_GENERATIONS,
    late: lateWith(options, mails),
    log,
    now,
    secrets: {
      sources: new Map([["env", { scheme: "env", read: async (name: string) => options.secrets?.[name] }]]),
      places: {},
      missing: missingSecrets(),
      log,
    },
    stores: storage,
    records,
  };
  const manifest: Manifest = {
    id: options.id ?? "fake",
    kind: "guardrail",
    version: "1.0.0",
    contract: "^1.0.0",
    title: "Fake",
    needs: [...needs],
  };
  return {
    host: hostFor({ manifest, needs, config: options.config ?? {}, collections }, parts) as Host<N>,
    lines,
    sent,
    mails,
    storage,
    clock,
  }; // hostFor puts in exactly what N names
}

function lateWith({ guard, dispatch }: FakeHostOptions, mails: Mail[]): LateHandles {
  const late = new LateHandles();
  late.openMail({
    async send(mail) {
      mails.push(mail);
      return "queued";
    },
  });
  const notGiven = (handle: string) => () => Promise.reject(new Error(`this host was given no ${handle}`));
  const prices = { of: notGiven("prices") };
  if (guard ?? dispatch) late.open({ guard: guard ?? { judge: notGiven("guard") }, dispatch: dispatch ?? notGiven("dispatch"), prices });
  return late;
}

function fakeEgress(sent: Request[], answer: FakeHostOptions["fetch"]): Egress {
  async function send({ url, method, headers, body, signal }: EgressRequest): Promise<Response> {
    const request = new Request(url, { method, headers, body: body as BodyInit | null, signal }); // the DOM's types leave out a view over shared memory
    sent.push(request.clone());
    if (!answer) throw new GatewayError("UPSTREAM_UNREACHABLE", { provider: "fake", why: `no answer was given for ${url}` });
    return answer(request);
  }
  const connect = (): Promise<never> => Promise.reject(new Error("a fake host opens no WebSockets"));
  return {
    open: 0,
    judgeUrl: (url) => new URL(url),
    send,
    connect,
    addresses: async (host) => [host],
    call: async (request) => answerOf(await send(request)),
  };
}

const EMPTY_CATALOG: Catalog = {
  providers: () => [],
  providerIds: () => [],
  check: () => undefined,
  checks: () => [],
  credentials: () => new Map(),
  secretManagers: () => new Map(),
  strategies: () => [],
  judgeConfig: () => undefined,
  scopes: () => SCOPE_TABLE,
  headers: headerClasses([]),
};
const NO_GENERATIONS: Generations = { number: 1, states: () => [], reload: async () => ({ number: 2 }) };
