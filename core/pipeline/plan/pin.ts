import { GatewayError, type Leaf } from "#contract";

/*
 * A key that may use its own config and no other (`allow_config_override: false`): where that config names its provider,
 * a request cannot leave it. Where the config leaves the provider open, the request names it as it would without a pin.
 */

export const namesProvider = ({ provider, overrideParams, defaultParams }: Leaf): boolean =>
  provider !== null || slashOf(overrideParams?.["model"]) > 0 || slashOf(defaultParams?.["model"]) > 0;

/** Did the config's author write this model? */
export const isAuthors = (model: string, { overrideParams, defaultParams }: Leaf): boolean =>
  model === overrideParams?.["model"] || model === defaultParams?.["model"];

/** Where the prefix of `@slug/model` ends; 0 or less without one. */
export const slashOf = (model: unknown): number => (typeof model === "string" && model.startsWith("@") ? model.indexOf("/") : -1);

export const leavesPin = (sent: string, param: string): GatewayError =>
  new GatewayError("CONFIG_OVERRIDE", { sent: sent.slice(0, 80) }, { param });
