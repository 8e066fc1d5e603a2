/** A web console: static assets under one mount. */
export interface Console {
  /** `/console`. */
  readonly mount: string;
  asset(path: string): Promise<Blob | undefined>;
}
