import { testPack } from "../../tests/kit/check.ts";
import manifest from "./manifest.json";
import pack from "./index.ts";

await testPack(pack, manifest);
