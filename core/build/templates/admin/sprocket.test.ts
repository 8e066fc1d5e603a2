import { testResource } from "#kit";
import { resource } from "./resource.ts";

testResource({
  resource,
  collections: [],
  create: { name: "First" },
  update: { note: "For tests" },
  updated: { note: "For tests" },
});
