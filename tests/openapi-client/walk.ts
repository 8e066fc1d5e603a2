/**
 * A user's own program, with the client that `openapi-typescript` and `openapi-fetch` make of the document: each call below
 * is checked against the generated types, and then made. Run by `tests/e2e/openapi.test.ts`, in a folder of its own where
 * `paths.ts` is generated; that is why the compiler of the tree leaves it out.
 */
import createClient from "openapi-fetch";
import type { paths } from "./paths.ts";

const { GATEWAY_URL: baseUrl = "", ADMIN_KEY = "", GATEWAY_KEY = "" } = process.env;
const admin = createClient<paths>({ baseUrl, headers: { "x-gateway-api-key": ADMIN_KEY } });
const data = createClient<paths>({ baseUrl, headers: { "x-gateway-api-key": GATEWAY_KEY } });

interface Answered<D> {
  readonly data?: D;
  readonly error?: unknown;
  readonly response: Response;
}
function good<D>({ data, error, response }: Answered<D>): D {
  if (data !== undefined) return data;
  throw new Error(`${response.status} ${JSON.stringify(error)}`);
}
function same(found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
}
const done: string[] = [];

/* Configs: made once however often it is asked, listed, read, written on what was read, deleted. */
const header = { "idempotency-key": crypto.randomUUID() };
const body = { name: "Typed", config: { retry: { attempts: 2 } } };
const made = good(await admin.POST("/v2/configs", { params: { header }, body }));
same(good(await admin.POST("/v2/configs", { params: { header }, body })), made);
const slug: string = made.data.slug;
const configs = good(await admin.GET("/v2/configs", { params: { query: { page_size: 100 } } }));
same(configs.data.filter((config) => config.slug === slug).length, 1);
const read = await admin.GET("/v2/configs/{slug}", { params: { path: { slug } } });
good(read);
const match = { "if-match": read.response.headers.get("etag") ?? "" };
good(await admin.PUT("/v2/configs/{slug}", { params: { path: { slug }, header: match }, body: { name: "Typed anew" } }));
const late = await admin.PUT("/v2/configs/{slug}", { params: { path: { slug }, header: match }, body: { name: "Too late" } });
same([late.response.status, late.error?.error.code], [412, "AB07"]);
good(await admin.DELETE("/v2/configs/{slug}", { params: { path: { slug } } }));
done.push("configs");

/* Workspaces. */
const workspace = good(await admin.POST("/v2/admin/workspaces", { body: { name: "Typed workspace" } }));
const at = { path: { workspaceId: workspace.id } };
same(good(await admin.GET("/v2/admin/workspaces/{workspaceId}", { params: at })).name, "Typed workspace");
good(await admin.PUT("/v2/admin/workspaces/{workspaceId}", { params: at, body: { description: "By a typed client." } }));
const workspaces = good(await admin.GET("/v2/admin/workspaces"));
same(
  workspaces.data.some(({ id }) => id === workspace.id),
  true,
);
done.push("workspaces");

/* Keys, in that workspace. */
const key = good(
  await admin.POST("/v2/api-keys/service", { body: { name: "Typed key", workspace_id: workspace.slug, scopes: ["completions.write"] } }),
);
const byId = { path: { id: key.id } };
good(await admin.PUT("/v2/api-keys/{id}", { params: byId, body: { name: "Renamed" } }));
same(good(await admin.GET("/v2/api-keys/{id}", { params: byId })).name, "Renamed");
same(
  good(await admin.GET("/v2/api-keys", { params: { query: { workspace_id: workspace.slug } } })).data.map(({ id }) => id),
  [key.id],
);
good(await admin.DELETE("/v2/api-keys/{id}", { params: byId }));
good(await admin.DELETE("/v2/admin/workspaces/{workspaceId}", { params: at }));
done.push("keys");

/* Guardrails. */
const checks = [{ id: "default.wordCount", parameters: { minWords: 1, maxWords: 100 } }];
const feedback = { feedback: {} };
const actions = { deny: true, on_success: feedback, on_fail: feedback };
const guardrail = good(await admin.POST("/v2/guardrails", { body: { name: "Typed", checks, actions } }));
const named = { path: { guardrailId: guardrail.slug } };
good(await admin.PUT("/v2/guardrails/{guardrailId}", { params: named, body: { name: "Typed anew" } }));
same(good(await admin.GET("/v2/guardrails/{guardrailId}", { params: named })).name, "Typed anew");
good(await admin.DELETE("/v2/guardrails/{guardrailId}", { params: named }));
const gone = await admin.GET("/v2/guardrails/{guardrailId}", { params: named });
same([gone.response.status, typeof gone.error?.error.message], [403, "string"]);
done.push("guardrails");

/* The data plane. */
const completion = good(
  await data.POST("/v1/chat/completions", {
    params: { header: { "x-gateway-provider": "sandbox" } },
    body: { model: "echo", messages: [{ role: "user", content: "Hello" }] },
  }),
);
// A stream's answer would be a text.
same(typeof completion === "object" && completion.choices[0]?.message.content, "Hello");
done.push("chat");

console.log(JSON.stringify(done));
