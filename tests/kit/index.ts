/** The conformance kits, one per kind of plugin, and what tests of plugins need besides: `#kit`. */
export * from "./for-packages.ts";
export * from "./bound-check.ts";
export * from "./config.ts";
export * from "./deployment.ts";
export * from "./dialect.ts";
export * from "./jobs.ts";
export * from "./prepared.ts";
export * from "./recordings.ts";
export * from "./replay.ts";
export * from "./routes.ts";
export * from "./slowness.ts";
export * from "./turns.ts";
