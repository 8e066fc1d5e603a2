import type { Manifest } from "#contract";
import { pluginsIn, testAdmin, testApi, testPolicy, testPrice, testProvider } from "#kit";
import admin from "./admin.ts";
import api from "./api.ts";
import file from "./manifest.json";
import policy from "./policy.ts";
import price from "./price.ts";
import provider from "./provider.ts";

const [ofProvider, ofPrice, ofPolicy, ofApi, ofAdmin] = pluginsIn(file) as [Manifest, Manifest, Manifest, Manifest, Manifest]; // as the file lists them
testProvider({ plugin: provider, manifest: ofProvider, config: { url: "https://acme.example" } });
testPrice({
  plugin: price,
  manifest: ofPrice,
  known: [{ providerId: "acme-suite", model: "", price: { input: 0, output: 2, request: 1 } }],
});
testPolicy({ plugin: policy, manifest: ofPolicy });
await testApi({ plugin: api, manifest: ofApi });
await testAdmin({ plugin: admin, manifest: ofAdmin, config: { url: "https://acme.example" } });
