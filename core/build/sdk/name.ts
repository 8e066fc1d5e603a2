import packageInfo from "../../../package.json" with { type: "json" };

/** The package for vendors: named after the gateway, and of its version. */
export const SDK = `${packageInfo.name}-sdk`;
export const SDK_VERSION = packageInfo.version;
/** What plugins of the tree import by an alias, and where the package has it. */
export const SDK_MODULES: Readonly<Record<string, string>> = {
  "#contract": SDK,
  "#kit": `${SDK}/kit`,
  "@sinclair/typebox": `${SDK}/typebox`,
};
