import { answerJobs } from "../compute/child.ts";

/** `gateway compute`: what the gateway starts for itself, to run checks in (core/compute). Not for people, so `help` does not name it. */
export const compute = (): Promise<number> => answerJobs();
