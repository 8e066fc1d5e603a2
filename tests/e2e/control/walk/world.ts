/** Where the walk takes place: a workspace, its people and keys, and another organisation that must see nothing of it. */
import { bodyOf, type Json } from "../../endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask } from "../../process.ts";
import type { ControlPlane } from "../api.ts";

export interface World {
  readonly plane: ControlPlane;
  readonly organisationId: string;
  readonly workspace: { readonly id: string; readonly slug: string };
  /** Slug of an integration of the organisation. */
  readonly integration: string;
  /** Of another organisation. */
  readonly foreign: { readonly organisationId: string; readonly workspaceId: string };
  readonly keys: Keys;
  readonly document: Json;
  /** A number that nothing else of this walk has. */
  next(): number;
  /** A path of the sheet, in this workspace. */
  at(path: string): string;
  ask(of: { readonly by: "workspace" | "organisation" }, method: string, path: string, body?: Json): Promise<Answer>;
}
/** Who asks. */
interface Keys {
  readonly organisation: string;
  /** All that a service key of the workspace may do. */
  readonly workspace: string;
  /** The same workspace, and nothing but analytics. */
  readonly narrow: string;
  /** Somebody who is member there, with all that a user key may do. */
  readonly member: string;
  /** The other organisation's admin. */
  readonly stranger: string;
}

export async function worldOf(plane: ControlPlane): Promise<World> {
  const stranger = /Admin key +(\w{48})/.exec(await plane.command("organisations", "create", "Walkers elsewhere"))?.[1] ?? "";
  const workspace = await plane.workspace("Walk");
  const person = await plane.person("walk-member@example.org", [{ id: workspace.id, role: "member" }]);
  const keys: Keys = {
    ...{ organisation: ADMIN_KEY, stranger, workspace: await plane.key(workspace.id, ["*"]) },
    ...{ narrow: await plane.key(workspace.id, ["analytics.view"]), member: person.keys[workspace.id] ?? "" },
  };
  const given = { name: "Walk", slug: "walk", ai_provider_id: "openai", key: "sk-walk-0123456789abcdef" };
  const integration = String(bodyOf(await plane.admin("POST", "/admin/v2/integrations", given))["slug"]);
  const idOf = async (key: string, path: string): Promise<string> => String(bodyOf(await plane.as(key, "GET", path))["id"]);
  let n = 0;
  return {
    ...{ plane, workspace, integration, keys, organisationId: await idOf(ADMIN_KEY, "/v2/admin/organisation") },
    foreign: {
      organisationId: await idOf(stranger, "/v2/admin/organisation"),
      workspaceId: await idOf(stranger, "/v2/admin/workspaces/default"),
    },
    document: (await ask(`${plane.gateway.base}/openapi.json`, "GET", null)).json,
    next: () => n++,
    at: (path) => path.replace("{workspaceId}", workspace.id),
    ask: ({ by }, method, path, body) => plane.as(keys[by], method, path, body),
  };
}
