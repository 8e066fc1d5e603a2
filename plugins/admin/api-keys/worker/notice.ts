import { type ApiKeys, isoTime, type RecordOf } from "#contract";

type ApiKey = RecordOf<typeof ApiKeys>;

/** Something that people are told of a key. */
export interface KeyNotice {
  readonly kind: keyof typeof NOTICES;
  readonly key: ApiKey;
  /** The moment that it is about: what was told of another moment was not told of this one. */
  readonly at: number;
  /** Addresses of those who have not heard. */
  readonly to: readonly string[];
}
/** What one person is told of keys of an organisation, without anything secret: where new secrets are read, not what they are. */
export interface Digest {
  readonly organisationId: string;
  readonly kind: KeyNotice["kind"];
  readonly keyIds: readonly string[];
  readonly to: string;
  readonly subject: string;
  readonly lines: readonly string[];
}
/** How people are told; `false` where it did not reach them, and is to be told again. */
export type Tell = (digest: Digest) => Promise<boolean>;

interface Wording {
  subject(which: string): string;
  line(key: ApiKey, at: number): string;
}
const where = ({ id }: ApiKey): string => `GET /v2/api-keys/${id}/secret`;
const NOTICES = {
  key_rotated: {
    subject: (which) => `The secret of ${which} was replaced`,
    line: (key) =>
      `${nameOf(key)} has a new secret by its rotation policy. ${formerOf(key)} Whoever may rotate the key reads the new one with ${where(key)}, within 30 days.`,
  },
  key_rotation_soon: {
    subject: (which) => `The secret of ${which} will be replaced`,
    line: (key, at) =>
      `${nameOf(key)} gets a new secret at ${isoTime(at)} by its rotation policy; it is then read with ${where(key)}. The one before goes on working for the transition of the policy.`,
  },
  key_transition_soon: {
    subject: (which) => `The former secret of ${which} is about to end`,
    line: (key, at) =>
      `The former secret of ${nameOf(key)} works until ${isoTime(at)}. Whoever still uses it needs the new one: ${where(key)}.`,
  },
} as const satisfies Record<string, Wording>;

const formerOf = ({ key_transition_expires_at: until }: ApiKey): string =>
  until === null ? "The one before works no more." : `The one before works until ${isoTime(until)}.`;

const MAX_NAME = 100;
const nameOf = ({ name }: ApiKey): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name);
/** Keys that a mail names; it says how many more there are. */
const MAX_KEYS = 50;

/** These notices, of one kind and organisation, for one person. */
export function digestOf(notices: readonly [KeyNotice, ...KeyNotice[]], to: string): Digest {
  const [{ kind, key }] = notices;
  const { subject, line } = NOTICES[kind];
  const more = notices.length - MAX_KEYS;
  return {
    ...{ organisationId: key.organisation_id, kind, keyIds: notices.map((notice) => notice.key.id), to },
    subject: subject(notices.length === 1 ? `the API key ${nameOf(key)}` : `${notices.length} API keys`),
    lines: [
      ...notices.slice(0, MAX_KEYS).map((notice) => line(notice.key, notice.at)),
      ...(more > 0 ? [`The same holds of ${more} more: GET /v2/api-keys lists them.`] : []),
    ],
  };
}
