/** Under which a check's input says whose request it is, to the gateway itself: no check asks for it. */
export const TENANT = Symbol("tenant");
export interface OfTenant {
  readonly [TENANT]?: string;
}
