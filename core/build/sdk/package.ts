import packageInfo from "../../../package.json" with { type: "json" };
import { BUILT_IN, SDK, SDK_VERSION } from "./name.ts";

/** Packages that the contract's types name: they come inside ours, so that installing it fetches nothing. */
export const BUNDLED = ["@sinclair/typebox"] as const;
const { dependencies: versions, license, engines } = packageInfo;

/** The modules of the package: what they are called, and where their code and their types are. */
export const ENTRIES = {
  ".": "core/contract/index",
  "./kit": "tests/kit/for-packages",
  "./typebox": "core/build/sdk/typebox",
} as const;
export const CLI = "core/build/sdk/cli";

/** The `package.json` of the package. */
export const packageOf = (): object => ({
  name: SDK,
  version: SDK_VERSION,
  description: "Contract, conformance kit and scaffold for plugins of the AI gateway: checks, providers, policies and the rest.",
  license,
  type: "module",
  engines,
  bin: { [SDK]: `js/${CLI}.js` },
  exports: {
    ...Object.fromEntries(
      Object.entries(ENTRIES).map(([name, path]) => [name, { types: `./types/${path}.d.ts`, default: `./js/${path}.js` }]),
    ),
    "./package.json": "./package.json",
  },
  files: ["js", "types", "templates", BUILT_IN],
  dependencies: Object.fromEntries(BUNDLED.map((name) => [name, versions[name]])),
  bundleDependencies: BUNDLED,
});
