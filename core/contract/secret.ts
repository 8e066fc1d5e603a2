/** A place secrets come from: `env`, `file`, a vault … */
export interface SecretSource {
  /** The part before `:` in a reference such as `env:ACME_KEY`. */
  readonly scheme: string;
  /** `undefined` when there is no such secret; a throw when it could not be looked up. */
  read(name: string): Promise<string | undefined>;
}
