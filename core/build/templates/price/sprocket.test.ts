import type { Manifest } from "#contract";
import { testPrice } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

testPrice({
  plugin,
  manifest: manifest as Manifest,
  config: { models: { "openai/gpt-4o": { input: 2, output: 8 } } },
  known: [{ providerId: "openai", model: "gpt-4o", price: { input: 0.0002, output: 0.0008 } }],
});
