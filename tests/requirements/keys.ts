import { section } from "./row.ts";

export const keys = section("API keys", [
  ["K.rotate", "POST /api-keys/{id}/rotate answers id, key and key_transition_expires_at; the key stays what it is otherwise."],
  ["K.transition", "Until the transition is over both secrets are the key; from that moment on the one before is refused, by the clock."],
  ["K.rotate-judged", "A transition lasts half an hour at least and is shorter than the period; there are two secrets at most."],
  ["K.rotate-scope", "A rotation needs the scope of the key's kind, and nobody rotates a key that may do more than theirs."],
  ["K.rotate-leaked", "The former secret of a key neither reads the new one nor rotates the key."],
  ["K.rotate-at-once", "Of rotations of one key that come at once, one is done, and the others are refused."],
  ["K.rotate-cut", "A rotation that is cut off at any moment leaves a key that works."],
  [
    "K.secret-kept",
    "A secret whose answer may be lost, or that no answer showed, can be read by those who may rotate the key, for a time.",
  ],
  ["K.schedule", "A rotation policy says the next rotation, at 00:00 UTC; a worker rotates keys that are due."],
  ["K.schedule-warned", "A worker warns a day before a key is rotated, and before the secret before ends, once each."],
  ["K.schedule-once", "A key that is due is rotated once in a cluster, also when the process that does it is killed in the middle."],
  [
    "K.schedule-digest",
    "Of all keys that a run rotates a person gets one mail; who has had too many within the hour hears later, also after the transition.",
  ],
  [
    "K.schedule-fits",
    "A transition that is too long for a period that comes to be enforced is shortened; one key that cannot be rotated holds up no other.",
  ],
  [
    "K.enforced",
    "The period that organisation or workspace enforce is that of all user keys; another one, or a day of one's own, is refused.",
  ],
  ["K.ttl", "A user key ends when user_api_key_ttl says so, at the latest."],
  ["K.expired", "A worker marks keys that have ended as expired; one that is prolonged works again."],
  ["K.others", "Whoever is a member of a workspace makes, sees and changes their own user keys only; managers and admins those of others."],
  ["K.limit", "A workspace has no more user keys than user_api_key_limit, also when several are made at once."],
  ["K.prefix", "New keys begin with API_KEY_PREFIX, letters and digits; keys made before go on working."],
  [
    "K.guardrails",
    "Default guardrails of a key judge every request made with it, whatever the request says; they are those of its workspace.",
  ],
  ["K.guardrails-width", "A key that is judged by guardrails makes no key that is not."],
  ["K.exclusions", "Details of a key show from which guardrails of the organisation its workspace is excluded."],
  [
    "K.auto-create",
    "Who becomes a member gets a user key where the settings say so, with the scopes, the end and the rotation that they say.",
  ],
  [
    "K.auto-default",
    "Who joins the organisation gets a key of its default workspace where default_workspace_user_api_key_auto_create is on.",
  ],
  ["K.overrides", "A workspace says otherwise where the organisation lets it, and is refused where it does not."],
  ["K.preset", "A key whose secret the environment sets is rotated by nothing else."],
]);
