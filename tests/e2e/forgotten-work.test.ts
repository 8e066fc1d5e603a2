/** What was begun, and whose end nobody ever asked for, is forgotten one day: whichever plugins are there. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonAnswer, replayServer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { ask, type GatewayProcess, startGateway, until } from "./process.ts";

const DAY_MS = 86_400_000;
const notes = ({ dataDir }: GatewayProcess): readonly { readonly created_at: number }[] => {
  const database = new Database(join(dataDir, "main.db"));
  try {
    return database.query("SELECT created_at FROM owned_ids WHERE keeping = 'uncounted'").all() as { created_at: number }[]; // its column
  } finally {
    database.close();
  }
};
function age({ dataDir }: GatewayProcess, days: number): void {
  const database = new Database(join(dataDir, "main.db"));
  database.run(`UPDATE owned_ids SET created_at = created_at - ${days * DAY_MS} WHERE keeping = 'uncounted'`);
  database.close();
}

test(verifies(
  "D7.13.forgotten",
  "a run whose end nobody asked for is forgotten after 90 days, where there are no responses either",
), async () => {
  const home = mkdtempSync(join(tmpdir(), "gateway-forgotten-"));
  const profile = join(home, "profile.json");
  writeFileSync(profile, JSON.stringify({ title: "No responses", extends: "default", plugins: { "api/responses": { enabled: false } } }));
  const upstream = replayServer();
  const env = { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host, GATEWAY_PROFILE: profile };
  const first = await startGateway({ env });
  const running = [first];
  try {
    const headers = { "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1`, authorization: "Bearer sk-provider" };
    const begin = async (id: string): Promise<void> => {
      upstream.answer(jsonAnswer({ id, object: "thread.run", thread_id: "t_1", status: "queued", model: "gpt-4o", usage: null }));
      const begun = await ask(`${first.base}/v1/threads/t_1/runs`, "POST", first.gatewayKey, { assistant_id: "asst_1" }, headers);
      expect(begun.status).toBe(200);
    };
    await begin("run_1");
    age(first, 91);
    await begin("run_2");
    await first.stop();
    const second = await startGateway({ env, dataDir: first.dataDir });
    running.push(second);
    const left = await until("the old one is forgotten", async () => (notes(second).length < 2 ? notes(second) : undefined));
    expect(left.map(({ created_at }) => Date.now() - created_at < DAY_MS)).toEqual([true]);
  } finally {
    await Promise.all(running.map((gateway) => gateway.stop()));
    first.remove();
    rmSync(home, { recursive: true });
    await upstream.close();
  }
}, 60_000);
