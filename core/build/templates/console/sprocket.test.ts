import type { Manifest } from "#contract";
import { testConsole } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

testConsole({ plugin, manifest: manifest as Manifest });
