import { Type } from "@sinclair/typebox";
import { collectionOf, definePlugin, field, OneOf, resourceOf } from "#contract";

const Hooks = collectionOf({
  name: "acme_hooks",
  tenancy: "workspace",
  fields: {
    name: field(Type.String({ minLength: 1, maxLength: 255, description: "Name." }), { create: "required", update: true, view: true }),
    url: field(Type.String({ maxLength: 2048, description: "Where it calls." }), {
      create: "required",
      update: true,
      view: true,
      bound: true,
    }),
    token: field(Type.String({ maxLength: 255, description: "Sent along." }), {
      create: "optional",
      update: true,
      view: true,
      secret: true,
    }),
    state: field(OneOf(["on", "off"], { description: "Off: it calls nobody." }), { update: true, view: true, default: "on" }),
  },
  unique: [["workspace_id", "name"]],
});

export const hooks = resourceOf(Hooks, {
  noun: "Acme hook",
  plane: "control",
  path: "/acme-hooks",
  tag: "Acme",
  scopes: { families: ["configs"] },
  judge: ({ url }, { judgeUrl }) => judgeUrl(url),
  list: { filters: ["state"] },
});

/** Hooks of workspaces: whom Acme calls. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "vault"],
  collections: [Hooks],
  setup: () => ({ provides: { resources: [hooks] } }),
});
