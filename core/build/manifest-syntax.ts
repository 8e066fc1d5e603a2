import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GatewayError, messageOf } from "#contract";

const ROOT = join(import.meta.dirname, "../..");
const MANIFESTS = "{providers,guardrails,storage,plugins}/**/manifest.json";

/** Manifests of this tree that are no JSON. Whatever imports one fails with a syntax error that does not name the file. */
export const brokenManifests = (root = ROOT): readonly GatewayError[] =>
  [...new Bun.Glob(MANIFESTS).scanSync({ cwd: root })].sort().flatMap((file) => syntaxError(root, file));

function syntaxError(root: string, file: string): readonly GatewayError[] {
  try {
    JSON.parse(readFileSync(join(root, file), "utf8"));
    return [];
  } catch (thrown) {
    return [
      new GatewayError("PLUGIN_MANIFEST", {
        file,
        path: "(file)",
        why: messageOf(thrown).replace(/^JSON Parse error: /, "it is not JSON: "),
      }),
    ];
  }
}
