/** A gateway with the pack `stuck`, whose checks do what no check should. */
import type { StartOptions } from "./process.ts";
import { type PackGateway, startWithPack } from "./with-pack.ts";

export type StuckGateway = PackGateway;
export const startStuck = (options: StartOptions = {}): Promise<StuckGateway> => startWithPack("stuck", options);
