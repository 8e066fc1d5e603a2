import { spawnSync } from "node:child_process";
import { findFolder } from "./binaries.ts";
import type { Skip } from "./server.ts";

export type Product = "postgresql" | "redis";

/** A package manager, whether it wants root, and the commands that install a product with it. */
interface Manager {
  readonly program: string;
  readonly root: boolean;
  readonly commands: (product: Product) => readonly (readonly string[])[];
}

const PACKAGE: Readonly<Record<string, Readonly<Record<Product, string>>>> = {
  "apt-get": { postgresql: "postgresql", redis: "redis-server" },
  brew: { postgresql: "postgresql@17", redis: "redis" },
  apk: { postgresql: "postgresql", redis: "redis" },
  dnf: { postgresql: "postgresql-server", redis: "redis" },
};
const packageOf = (program: string, product: Product): string => PACKAGE[program]?.[product] ?? product;

const MANAGERS: readonly Manager[] = [
  {
    program: "apt-get",
    root: true,
    commands: (product) => [
      ["apt-get", "update", "-qq"],
      ["apt-get", "install", "-y", "-qq", "--no-install-recommends", packageOf("apt-get", product)],
    ],
  },
  { program: "apk", root: true, commands: (product) => [["apk", "add", "--no-cache", packageOf("apk", product)]] },
  { program: "dnf", root: true, commands: (product) => [["dnf", "install", "-y", "-q", packageOf("dnf", product)]] },
  { program: "brew", root: false, commands: (product) => [["brew", "install", "--quiet", packageOf("brew", product)]] },
];

/** RUNLEVEL=1 keeps Debian's packages from starting a service of their own. */
const ENV = { DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1", HOMEBREW_NO_AUTO_UPDATE: "1" };
const LIMIT_MS = 300_000;

/** Where `find` finds the product, after installing it when it must be; else one line that says what to install. */
export function findOrInstall(product: Product, find: () => string | undefined): { readonly found: string } | Skip {
  const advice = find() === undefined ? install(product) : undefined;
  const found = find();
  return found === undefined ? { skip: `${product} is not here; ${advice ?? "nor where it was expected after installing it"}` } : { found };
}

/**
 * Installs a product with the system's package manager where that may be done without asking. Answers nothing when
 * it worked, else one line that says what a person would have to do. TEST_INSTALL_SERVERS=OFF forbids the attempt.
 */
function install(product: Product): string | undefined {
  const manager = MANAGERS.find((one) => findFolder([one.program]) !== undefined);
  if (manager === undefined) return `install ${product} and put its server on PATH`;
  const become = prefix(manager);
  const byHand = `install it with: ${manager.commands(product).at(-1)?.join(" ")}`;
  if (become === undefined || process.env.TEST_INSTALL_SERVERS === "OFF") return byHand;
  console.warn(`tests: installing ${product} with ${manager.program} (TEST_INSTALL_SERVERS=OFF forbids it)`);
  const worked = manager.commands(product).every((command) => runs([...become, ...command]));
  return worked ? undefined : byHand;
}

/** What goes before a command to run it with the rights it needs; nothing at all when they cannot be had. */
function prefix(manager: Manager): readonly string[] | undefined {
  const root = process.getuid?.() === 0;
  if (!manager.root) return root ? undefined : []; // Homebrew refuses root
  if (root) return [];
  const env = Object.entries(ENV).map(([name, value]) => `${name}=${value}`);
  return runs(["sudo", "-n", "true"]) ? ["sudo", "-n", ...env] : undefined;
}

const runs = ([program = "", ...args]: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: "ignore", env: { ...process.env, ...ENV }, timeout: LIMIT_MS }).status === 0;
