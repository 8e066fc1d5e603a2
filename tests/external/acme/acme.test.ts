import { join } from "node:path";
import { exampleCases, testPack } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

await testPack(plugin, manifest, { "acme.risk": exampleCases(join(import.meta.dirname, "fixtures")) });
