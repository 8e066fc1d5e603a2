/** People: invited, of the organisation, members of workspaces; and workspaces. */
import { type Family, PAGES } from "./family.ts";
import { NO_BUDGETS, NO_RATES, spending } from "./limits.ts";
import * as shape from "./shapes.ts";
import type { World } from "./world.ts";

const { NOTHING, object, text } = shape;
/** No two people of a walk share an address, nor do two walks. */
const address = (n: number): string => `walk-${n}-${crypto.randomUUID().slice(0, 8)}@example.org`;
export const invites: Family = {
  ...{ section: "4.3", noun: "invite", path: "/v2/admin/users/invites", param: "inviteId", by: "organisation" },
  create: {
    body: ({ workspace }, n) => ({ email: address(n), role: "member", workspaces: [{ id: workspace.id, role: "member" }] }),
    more: () => ({ workspace_api_key_details: { scopes: ["logs.view"] } }),
    required: ["email", "role", "workspaces"],
    beyond: {
      ...{ email: ["nobody", ""], role: ["owner", "flying"], workspace_api_key_details: [{}, { scopes: ["flying"] }] },
      workspaces: [[{}], [{ id: "none", role: "member" }], [{ id: "default", role: "owner" }]],
    },
    shape: object({ id: text, invite_link: text }),
    ...{ unique: "email", named: ["email"] },
  },
  list: {
    envelope: "list",
    item: shape.Invite,
    filters: ({ email }) => [
      ...([
        ["role=member", true],
        ["role=admin", false],
        ["status=pending", true],
        ["status=accepted", false],
      ] as const),
      ...([
        [`email=${email}`, true],
        ["email=nobody@example.org", false],
      ] as const),
    ],
    beyond: { role: ["owner"], status: ["gone"] },
    pages: PAGES.people,
  },
  read: { shape: shape.Invite, absent: 404 },
  remove: "stays",
};

/** Somebody who accepted an invite. */
const person = async ({ plane, workspace }: World, n: number): Promise<string> =>
  (await plane.person(address(n), [{ id: workspace.id, role: "member" }], { workspace_api_key_details: null })).id;
export const users: Family = {
  ...{ section: "4.3", noun: "user", path: "/v2/admin/users", param: "userId", by: "organisation", make: person },
  list: {
    envelope: "list",
    item: shape.User,
    filters: ({ email }) => [
      ...([
        ["role=member", true],
        ["role=admin", false],
        ["role=owner", false],
      ] as const),
      ...([
        [`email=${email}`, true],
        ["email=nobody@example.org", false],
      ] as const),
    ],
    beyond: { role: ["flying"] },
    pages: PAGES.people,
  },
  read: { shape: shape.User, absent: 404 },
  update: {
    changes: () => [[{ role: "admin" }], [{ role: "member" }]],
    beyond: { role: ["owner", "flying"] },
    fixed: { email: "walk-new@example.org" },
    shape: NOTHING,
  },
  remove: "gone",
};
export const members: Family = {
  ...{
    section: "4.4",
    noun: "member",
    path: "/v2/admin/workspaces/{workspaceId}/users",
    param: "userId",
    by: "organisation",
    make: person,
  },
  list: {
    envelope: "list",
    item: shape.Member,
    filters: ({ email }) => [
      ...([
        ["role=member", true],
        ["role=manager", false],
        ["role=admin", false],
      ] as const),
      ...([
        [`email=${email}`, true],
        ["email=nobody@example.org", false],
      ] as const),
    ],
    beyond: { role: ["owner"] },
    pages: PAGES.usual,
  },
  read: { shape: shape.Member, absent: 404 },
  update: {
    changes: () => [[{ role: "manager" }], [{ role: "admin" }], [{ role: "member" }]],
    beyond: { role: ["owner", "flying"] },
    fixed: { status: "active" },
    shape: NOTHING,
  },
  remove: "gone",
};

export const workspaces: Family = {
  ...{ section: "4.4", noun: "workspace", path: "/v2/admin/workspaces", param: "workspaceId", by: "organisation" },
  create: {
    body: () => ({ name: "w" }),
    more: () => ({
      ...{ description: "d", defaults: { metadata: { team: "red" } }, users: [], usage_limits: [spending] },
      rate_limits: [{ type: "requests", unit: "rpm", value: 9 }],
    }),
    required: [],
    beyond: {
      ...{ users: [["nobody"], [crypto.randomUUID()]], defaults: [{ surprise: 1 }, { metadata: { team: 7 } }] },
      ...{ usage_limits: NO_BUDGETS.map((limits) => [limits]), rate_limits: NO_RATES },
    },
    shape: shape.WorkspaceItem,
  },
  list: {
    envelope: "list",
    item: shape.WorkspaceItem,
    filters: ({ name }) => [
      ...([
        [`name=${name}`, true],
        ["name=no-such-name", false],
        [`exact_name=${name}`, true],
        ["exact_name=no-such", false],
      ] as const),
      ...([
        ["status=active", true],
        ["status=archived", false],
        ["status=active,archived", true],
      ] as const),
    ],
    beyond: { status: ["gone"] },
    pages: PAGES.usual,
  },
  read: { shape: shape.Workspace, absent: 404, slug: true },
  update: {
    changes: () => [
      ...[[{ name: "other" }] as const, [{ description: "other" }] as const, [{ usage_limits: [spending] }] as const],
      ...[[{ defaults: { metadata: { team: "blue" } } }] as const, [{ rate_limits: [{ type: "tokens", unit: "rpd", value: 7 }] }] as const],
    ],
    beyond: { usage_limits: NO_BUDGETS.map((limits) => [limits]), rate_limits: NO_RATES, defaults: [{ input_guardrails: ["none"] }] },
    fixed: { slug: "other", status: "archived" },
    shape: NOTHING,
  },
  remove: "gone",
};
