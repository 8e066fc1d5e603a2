import { section } from "./row.ts";

/** What authors of plugins are given who have no clone of the gateway. */
export const vendors = section("For authors of plugins", [
  ["V.sdk.offline", "gateway build sdk makes an npm archive of contract, kit and scaffold; installing it fetches nothing else."],
  ["V.sdk.scaffold", "Its command makes a pack in an empty folder that passes its kit, and compiles against the types of the package."],
  ["V.sdk.node", "The command and the contract run on Node; only the kit needs Bun."],
  [
    "V.sdk.types",
    "Its types are types: what the contract does not have is an error of the compiler, and no name leads out of the package.",
  ],
  ["V.sdk.loads", "A pack that was made so is loaded by a gateway, from source and compiled, and judges."],
  [
    "V.sdk.reference",
    "The reference page of a plugin is made from its schemas, outside the tree too: meaning, default and limits of each member.",
  ],
  [
    "V.kit.places",
    "testPack tries every check of a pack on each surface, streamed and whole, by role, empty, in all scripts, with 1 MB, and with each failure of its service.",
  ],
  ["V.kit.stuck", "A check that loops for ever ends its tests, which say what check it is and what it was given."],
  ["V.kit.finds", "A pack that is wrong in one of these ways fails its kit; a sound one passes it."],
  ["V.loader.sentences", "What is wrong with a pack is said by its file, the place in it, and what would be right."],
  ["V.walkthrough", "docs/first-check.md can be followed word by word, from an empty folder to a check that judges in a gateway."],
]);
