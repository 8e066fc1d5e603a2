/** What an integration says of models holds inside of realtime sessions. */
import { afterAll, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, forAll } from "../endpoints/api.ts";
import { until } from "../process.ts";
import { dial } from "./client.ts";
import { type StandIn, standIn } from "./stand-in.ts";

const upstream: StandIn = await standIn();
const api = forAll({ GATEWAY_TRUSTED_HOSTS: `${upstream.host},127.0.0.1` });
afterAll(() => upstream.close());

type Json = Readonly<Record<string, unknown>>;
const update = (session: Json): string => JSON.stringify({ type: "session.update", event_id: "mine_1", session });
const NAMED: readonly (readonly [string, string])[] = [
  ["what writes down the client", update({ audio: { input: { transcription: { model: "bad" } } } })],
  ["the same in the older form", update({ input_audio_transcription: { model: "bad" } })],
  ["the session's own", update({ type: "realtime", model: "bad" })],
  ["a tool's", update({ tools: [{ type: "mcp", model: "bad" }] })],
  ["a name in escapes", update({ model: "bad" }).replace("model", "mod\\u0065l").replace("session.update", "session\\u002eupdate")],
];
test.each(NAMED)(
  verifies("I.models.everywhere", "holds for the events of a session, and those that ask no other model pass as they came: %s"),
  async (_, event) => {
    const slug = `realtime-models-${NAMED.findIndex(([, one]) => one === event)}`;
    const saved = { name: slug, slug, ai_provider_id: "openai", key: "sk-realtime-models-0123456789", workspace_id: "default" };
    bodyOf(await api.admin("POST", "/admin/v2/integrations", { ...saved, configurations: { custom_host: `${upstream.url}/v1` } }));
    const models = ["fine", "whisper-1"].map((model) => ({ slug: model, enabled: true }));
    bodyOf(await api.admin("PUT", `/admin/v2/integrations/${slug}/models`, { models, allow_all_models: false }));
    const session = await dial(api.gateway, { "x-gateway-provider": `@${slug}` }, { query: "?model=fine" });
    const allowed = `{ "type" : "session.update", "session": {"audio":{"input":{"transcription":{"model":"whisper-1"}}}} }`;
    const unknown = `{"type":"anything.else"}`;
    for (const message of [event, allowed, unknown]) session.say(message);
    const error = await session.event("error");
    await until("the others arrive", () => upstream.last.received.length === 2);
    expect(upstream.last.received).toEqual([allowed, unknown]);
    expect(error).toMatchObject({
      error: { event_id: "mine_1", message: expect.stringContaining(`The model bad may not be asked of the provider @${slug}`) },
    });
    session.close();
  },
);
