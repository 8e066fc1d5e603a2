import { section } from "./row.ts";

/** Files, batches, models, and whose the ids are that providers make. */
export const dataPlaneFiles = [
  ...section("data-plane.md 7.6 Models", [
    ["D7.6.catalogue", "Without a provider, one model is read from the workspace's catalogue."],
    ["D7.6.provider", "With a provider, the provider's own model is read; a fine-tuned one can be deleted."],
    ["D7.6.slashes", "A model's name may hold slashes, encoded or not: `@slug/model`, `org/model`."],
  ]),
  ...section("data-plane.md 7.7 Files", [
    ["D7.7.files", "A file is uploaded, listed, read, downloaded and deleted."],
    ["D7.7.streamed", "Uploads and downloads are streamed, neither retried nor moved to another target."],
  ]),
  ...section("data-plane.md 7.8 Batch", [
    ["D7.8.batches", "A batch of an uploaded file is made, listed, read and cancelled, and its output is read in one call."],
    ["D7.8.two-calls", "The output is one call also where its provider gives it in two."],
  ]),
];
