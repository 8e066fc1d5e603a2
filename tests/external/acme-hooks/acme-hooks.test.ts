import type { Manifest } from "#contract";
import { testAdmin, testResource } from "#kit";
import plugin, { hooks } from "./index.ts";
import manifest from "./manifest.json";

await testAdmin({ plugin, manifest: manifest as Manifest });
testResource({
  resource: hooks,
  collections: [],
  create: { name: "Build", url: "https://models.example.org/hook", token: "token-of-acme-0123" },
  update: { name: "Deploy", state: "off" },
  updated: { name: "Deploy", state: "off", masked_token: "to*******23" },
  secrets: ["token-of-acme-0123"],
});
