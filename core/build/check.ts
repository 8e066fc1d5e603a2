/**
 * `npm run check`: what a contributor runs before a push, and what CI runs. Generated files fresh, types, lint and format, tests;
 * with `--static`, all but the tests. Stops at the first step that fails and says which.
 */
const bun = process.execPath;
const bin = (name: string): string => `node_modules/.bin/${name}`;

const STEPS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["generated files", [bun, "core/build/gen.ts", "--check"]],
  ["types", [bin("tsc"), "--noEmit"]],
  ["lint and format", [bin("biome"), "ci", "--colors=off", "--error-on-warnings", "."]],
  ["tests", [bun, "test", "--timeout", "30000", "--path-ignore-patterns", "tests/slow/**"]],
];

const steps = process.argv.includes("--static") ? STEPS.filter(([name]) => name !== "tests") : STEPS;

for (const [name, command] of steps) {
  const startedAt = performance.now();
  console.log(`── ${name}: ${command.slice(1).join(" ")}`);
  const { exitCode } = Bun.spawnSync([...command], { stdio: ["ignore", "inherit", "inherit"] });
  if (exitCode !== 0) {
    console.error(`✗ ${name} failed (exit code ${exitCode})`);
    process.exit(1);
  }
  console.log(`✓ ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

export {};
