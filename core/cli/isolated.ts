import { serveIsolated } from "../compute/isolated/child.ts";

/** `gateway isolated`: what the gateway starts for itself, to run an isolated pack in (core/compute/isolated). Not for people, so `help` does not name it. */
export const isolated = (): Promise<number> => serveIsolated();
