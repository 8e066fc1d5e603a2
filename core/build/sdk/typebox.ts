/** The schema library that the contract is written in: the same copy for a plugin's schemas. */
export * from "@sinclair/typebox";
