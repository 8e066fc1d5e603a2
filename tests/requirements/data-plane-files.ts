import { section } from "./row.ts";

/** Files, batches, models, and whose the ids are that providers make. */
export const dataPlaneFiles = [
  ...section("Models", [
    ["D7.6.catalogue", "Without a provider, one model is read from the workspace's catalogue."],
    ["D7.6.provider", "With a provider, the provider's own model is read; a fine-tuned one can be deleted."],
    ["D7.6.query", "The catalogue is filtered, sorted and paged by its query, and says how many there are in all."],
    ["D7.6.config-slugs", "The catalogue that a config asks for is of the saved providers which that config names."],
    ["D7.6.passthrough", "A target that passes its provider through makes such a catalogue the whole one.", "routing strategies"],
    ["D7.6.native", "The lists of OpenAI, Azure, Anthropic, Google, Vertex AI and Bedrock are told in OpenAI's form."],
    ["D7.6.list-provider", "A provider's own list says beside it which provider that is."],
    ["D7.6.scopes", "The list is for keys with models.list or completions.write."],
    ["D7.6.slashes", "A model's name may hold slashes, encoded or not: `@slug/model`, `org/model`."],
  ]),
  ...section("Files", [
    ["D7.7.files", "A file is uploaded, listed, read, downloaded and deleted."],
    [
      "D7.7.elsewhere",
      "Files and batches of vendors with a form of their own (Anthropic, Bedrock, Vertex AI, Fireworks) are refused with the vendor's name and who serves them.",
    ],
    ["D7.7.purpose", "An upload names its purpose."],
    ["D7.7.streamed", "Uploads and downloads are streamed, neither retried nor moved to another target."],
  ]),
  ...section("Batch", [
    ["D7.8.batches", "A batch of an uploaded file is made, listed, read and cancelled, and its output is read in one call."],
    ["D7.8.passes", "The body of a new batch and its provider's answer pass as they are."],
    ["D7.8.pages", "limit and after page the list of batches."],
    ["D7.8.two-calls", "The output is one call also where its provider gives it in two."],
  ]),
  ...section("Whose an id is", [
    [
      "D7.owned.across",
      "What is made through the gateway for one workspace is 404 for another one with the same credential, however its id is named.",
    ],
    ["D7.owned.lists", "Lists leave out what is another workspace's."],
    ["D7.owned.unrecorded", "What was made elsewhere is there where the credential serves one workspace, and only there."],
    ["D7.owned.kept", "Whose it is survives a restart, and a new key of the same integration."],
    ["D7.owned.streams", "An id that a stream brings into being is recorded before the event that says it is passed on."],
    ["D7.owned.items", "An item of a provider's response that a request refers to is asked for its owner, like the response."],
    ["D7.owned.models", "A model that was trained for one workspace is used by, and listed for, no other with the same credential."],
    [
      "D7.owned.retention",
      "Whose an id is gets forgotten once its provider has forgotten the thing; for others it is not there then either.",
    ],
    ["D7.owned.away", "While nobody can say whose an id is, the answer is 503."],
  ]),
];
