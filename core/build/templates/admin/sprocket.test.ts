import { testResource } from "#kit";
import { resource } from "./resource.ts";
import { Records } from "./schema.ts";

testResource({
  resource,
  collections: [Records],
  create: { name: "First" },
  update: { note: "For tests" },
  updated: { note: "For tests" },
});
