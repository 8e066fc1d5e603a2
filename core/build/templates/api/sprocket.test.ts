import { expect, test } from "bun:test";
import type { Manifest } from "#contract";
import { CALLERS, testApi } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

await testApi({ plugin, manifest: manifest as Manifest });

test("answers with the workspace of the key", async () => {
  const { provides } = await plugin.setup({ log: () => undefined, now: () => 0 }, {});
  const answer = provides.routes?.[0]?.handle({
    body: {},
    query: {},
    params: {},
    caller: CALLERS.workspace,
    request: new Request("http://localhost/v1/sprocket"),
    now: 0,
  });
  expect(await answer).toEqual({ object: "sprocket", workspace_id: CALLERS.workspace.workspaceId });
});
