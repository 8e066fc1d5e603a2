import { section } from "./row.ts";

export const dataPlaneKept = section("data-plane.md 7 Kept responses", [
  ["D7.kept.jobs", "What is done by the clock is done by one process of a deployment at a time, and by another when that one dies."],
]);
