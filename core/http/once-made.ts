/** Made when it is first asked for, once: it takes longer than a request may. */
export function onceMade<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
