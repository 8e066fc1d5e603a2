import { resourceOf } from "#contract";
import { Records } from "./schema.ts";

/** Everything that is not said here (routes, bodies, pages, tenants, errors, documentation) follows from the fields. */
export const resource = resourceOf(Records, {
  noun: "Sprocket record",
  plane: "control",
  path: "/sprocket",
  tag: "Sprocket",
  scopes: { families: ["configs"] }, // whoever may do this to configs may do it here; a family of your own goes into the manifest's `scopes`
  list: { filters: ["name"] },
});
