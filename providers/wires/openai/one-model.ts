import type { Adapter } from "#contract";

/** A model by its name, without the saved provider that a client may put before it; the name is one step of the path. */
export const oneModel: Adapter = { path: (_, { target }) => `/models/${encodeURIComponent(target.model)}` };
