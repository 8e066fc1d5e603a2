import { type Static, Type } from "@sinclair/typebox";
import {
  type ApiKeys,
  DateTime,
  GatewayError,
  isoTime,
  type MemberAction,
  Nullable,
  type RuleInput,
  scopeRefusal,
  TransitionPeriod,
  Uuid,
} from "#contract";
import { refuseOthersKey } from "./owner.ts";
import { type ApiKey, refuseRotation, rotated, writeRotation } from "./rotation.ts";
import { keyRulesOf } from "./key-rules.ts";
import { FAMILIES, familyOf, refuseWiderRecord } from "./rules.ts";

const scope = FAMILIES.map((family) => `${family}.rotate`);

/** Whoever asks for a secret, a new one or one that is kept, may rotate that kind of key, and this one. */
async function mayRotate(record: ApiKey, input: Pick<RuleInput, "caller" | "records" | "catalog">): Promise<void> {
  const needed = `${familyOf(record.type)}.rotate`;
  if (!input.caller.scopes.has(needed)) throw scopeRefusal(input.caller, [needed], "rotation of this API key");
  refuseOthersKey(record, input, "rotate");
  await refuseWiderRecord("rotate")(record, input);
}

const Secret = {
  id: Uuid("The key's id, which stays."),
  key: Type.String({ description: "The secret." }),
};
const Body = Type.Object({ key_transition_period_ms: Type.Optional(TransitionPeriod) });
/** `POST /api-keys/{id}/rotate` */
export const rotate: MemberAction<typeof ApiKeys.schema> = {
  method: "POST",
  path: "/rotate",
  action: "rotate",
  summary: "Rotate an API key",
  description:
    "The key gets a new secret and stays what it is otherwise. The one before works until `key_transition_expires_at`; until then the key cannot be rotated again.",
  scope,
  body: Body,
  reply: Type.Object({ ...Secret, key_transition_expires_at: DateTime("Until when the secret before works.") }),
  async run(record, input) {
    await mayRotate(record, input);
    refuseRotation(record, input.now);
    const { key_transition_period_ms: asked } = input.body as Static<typeof Body>; // by its schema
    const { rotationDays } = await keyRulesOf(record, input.records);
    const { secret, until, patch } = rotated(record, {
      ...{ vault: input.vault, now: Math.max(input.now, record.last_updated_at + 1) },
      ...{ askedMs: asked, enforcedDays: rotationDays },
    });
    if (!(await writeRotation(record, patch, input.records))) throw new GatewayError("CHANGED_MEANWHILE", { what: "The API key" });
    return { id: record.id, key: secret, key_transition_expires_at: isoTime(until) };
  },
};

/** `GET /api-keys/{id}/secret` */
export const keptSecret: MemberAction<typeof ApiKeys.schema> = {
  method: "GET",
  path: "/secret",
  action: "reveal",
  summary: "Read the secret of an API key that nobody was shown",
  description:
    "Of a key that was rotated by its schedule, or made for somebody who joined: for 30 days. Of one that was rotated by request: until the secret before it ends, for an answer may be lost.",
  scope,
  reply: Type.Object({ ...Secret, secret_kept_until: Nullable(DateTime("Until when it can be read.")) }),
  async run(record, input) {
    await mayRotate(record, input);
    const { id, secret_sealed: sealed, secret_kept_until: until } = record;
    if (sealed === null || (until ?? 0) <= input.now) throw new GatewayError("NOT_FOUND", { what: "secret of this API key that is kept" });
    return { id, key: input.vault.open(sealed), secret_kept_until: until && isoTime(until) };
  },
};
