import { section } from "./row.ts";

export const virtualKeys = section("Virtual keys", [
  ["V.shape", "Virtual keys are made, listed, read, changed and deleted under /v2/virtual-keys and /v1/virtual-keys in the older shapes."],
  ["V.errors", "Errors of virtual keys have the older body; that of a 401 is {success: false, data: {message}}."],
  ["V.one-fact", "A virtual key is an integration and the provider of it: what is changed on either side is seen on both."],
  ["V.used", "A virtual key is named by x-gateway-virtual-key, by virtual_key in a config and by @slug; the provider gets its credential."],
  ["V.limits", "Its limits are the provider's, and are judged as those are."],
  ["V.deployments", "The older members for resources with deployments are the provider's fields, and are refused by their older names."],
  ["V.mappings", "Its secret mappings are the integration's."],
  ["V.delete", "Deleting one ends its use at once, and deletes the integration that was made with it, and no other."],
  ["V.tenants", "A virtual key of another workspace is not there; what the organisation keeps for all is neither shown nor changed here."],
  [
    "V.own",
    "Only an integration that came with a virtual key is shown, changed and deleted as a part of one; that it did is not said by anything that can be edited.",
  ],
  ["V.if-match", "The entity tag of a virtual key covers its integration; a change that is refused has changed neither."],
  ["V.refused", "A virtual key that is refused was not there for a moment: the audit log tells of nothing made."],
  ["V.secret", "The credential is in no answer."],
]);
