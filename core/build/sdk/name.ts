import packageInfo from "../../../package.json" with { type: "json" };

/** The package for vendors: named after the gateway, and of its version. */
export const SDK = `${packageInfo.name}-sdk`;
export const SDK_VERSION = packageInfo.version;
/** A list in the package: the gateway's own plugins, as `kind/id`. */
export const BUILT_IN = "built-in.json";
/** What plugins of the tree import by an alias, and where the package has it. */
export const SDK_MODULES: Readonly<Record<string, string>> = {
  "#contract": SDK,
  "#kit": `${SDK}/kit`,
  "@sinclair/typebox": `${SDK}/typebox`,
};
