import type { Manifest } from "#contract";
import { testCache } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

testCache({ plugin, manifest: manifest as Manifest });
