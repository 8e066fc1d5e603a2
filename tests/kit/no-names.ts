import dns from "node:dns";

/** Loaded into a gateway before its own code (`bun --preload`): no name is found, so that it reaches this machine alone. */
dns.promises.lookup = Object.assign(
  (name: string) => Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" })),
  { __promisify__: dns.promises.lookup },
) as unknown as typeof dns.promises.lookup; // its overloads all end the same way
