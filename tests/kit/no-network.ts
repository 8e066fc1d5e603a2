/**
 * Runs before every test file: a test that reaches beyond this machine fails, whichever way it tries. It traps the
 * global fetch; sockets of databases and clients go to addresses the tests were given.
 */
const real = globalThis.fetch;
const LOCAL: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

const trapped = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
  const url = new URL(input instanceof Request ? input.url : String(input));
  if (!LOCAL.has(url.hostname) && url.protocol !== "data:" && url.protocol !== "blob:")
    throw new Error(`a test reached the network: ${url.hostname}`);
  return real(input, init);
};
globalThis.fetch = Object.assign(trapped, { preconnect: real.preconnect });
