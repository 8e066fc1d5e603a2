/** `npm run gen`: writes everything that is generated. With `--check` it writes nothing and fails when something is stale. */
import { brokenManifests } from "./manifest-syntax.ts";

const broken = brokenManifests();
for (const { message } of broken) console.error(message);
if (broken.length > 0) process.exit(1);

const bun = process.execPath;
const GENERATORS = [
  "core/build/gen-checks.ts",
  "core/build/gen-registry.ts",
  "core/build/gen-migrations.ts",
  "core/build/gen-readme.ts",
  "core/build/gen-dialects.ts",
  "core/build/gen-guardrails.ts",
] as const;

for (const generator of GENERATORS) {
  const { exitCode } = Bun.spawnSync([bun, generator, ...process.argv.slice(2)], { stdio: ["ignore", "inherit", "inherit"] });
  if (exitCode !== 0) process.exit(exitCode);
}
