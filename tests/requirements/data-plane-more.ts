import { section } from "./row.ts";

/** Small operations of the data plane, and what answers beside them. */
export const dataPlaneMore = [
  ...section("data-plane.md 7.15 Pass-through and others", [
    ["D7.15.health", "GET / answers with a text, GET /v1/health with a status and the version, both without a key."],
  ]),
];
