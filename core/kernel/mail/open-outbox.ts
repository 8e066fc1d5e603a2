import { type Job, Mails, type MailTransport } from "#contract";
import type { Building } from "../building.ts";
import { type DeployedPlugin, isUp } from "../life.ts";
import { storesOf } from "../records/open-stores.ts";
import { belongsTo } from "../process/watchdog/marks.ts";
import { forgetMail, sendMail } from "./mail-jobs.ts";
import { Outbox } from "./outbox.ts";

/** Every plugin is up: opens the handle `mail` over the first way out in profile order, and answers the jobs that it needs. */
export function openOutbox(building: Building): readonly Job[] {
  const { input, late } = building;
  const { records, counters } = storesOf(building);
  const mails = records.in(Mails);
  const { now, vault, log, settings } = input;
  const parts = { mails, counters, vault, now, log: log.log, redact: log.redact, perHour: settings.mailsPerHour };
  const outbox = new Outbox({ ...parts, transport: transportOf(building), leaves: building.plugins.some(isWayOut) });
  building.outbox = outbox;
  late.openMail(outbox);
  return [sendMail(outbox), forgetMail(mails, now)];
}

/** One that has failed is a way out too: what waits for it leaves once it runs. */
const isWayOut = ({ manifest, stage }: DeployedPlugin): boolean => manifest.kind === "mail" && (stage.at === "up" || stage.at === "failed");

function transportOf({ plugins }: Building): MailTransport | undefined {
  const [first] = plugins.filter(isUp).filter(({ manifest }) => manifest.kind === "mail");
  return first && belongsTo(first.stage.instance.running.provides as MailTransport, first.name); // the kind says so
}
