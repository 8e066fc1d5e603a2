/** What a provider may send in the frames of a WebSocket, and how much of it the gateway keeps. */
import { afterAll, describe, expect, test } from "bun:test";
import { forAll } from "../endpoints/api.ts";
import { until } from "../process.ts";
import { dial } from "./client.ts";
import { frame, type StandIn, standIn } from "./stand-in.ts";

const upstream: StandIn = await standIn();
const api = forAll({ GATEWAY_TRUSTED_HOSTS: upstream.host });
afterAll(() => upstream.close());
const STAND_IN = { "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1`, authorization: "Bearer k" };

describe("a provider's messages", () => {
  test("in many pieces are put together, and in too many end it with 1009, whether or not anything is in them", async () => {
    const session = await dial(api.gateway, STAND_IN);
    const pieces = (payload: string, count: number) => Buffer.concat(Array.from({ length: count }, () => frame(0, payload, false)));
    upstream.last.write(Buffer.concat([frame(1, "a", false), pieces("b", 5_000), pieces("", 5_000), frame(0, "c")]));
    await until("it arrives", () => session.messages.length === 1);
    expect(session.messages).toEqual([`a${"b".repeat(5_000)}c`]);
    session.close();
    for (const payload of ["", "x"]) {
      const other = await dial(api.gateway, STAND_IN);
      upstream.last.write(Buffer.concat([frame(1, "", false), pieces(payload, 20_000)]));
      expect(await other.end()).toMatchObject({ code: 1009, reason: expect.stringContaining("pieces") });
    }
  });
  test("may stand behind more pings than anybody answers who is not heard", async () => {
    const session = await dial(api.gateway, STAND_IN);
    const visit = upstream.last;
    visit.pause();
    const pings = Buffer.concat(Array.from({ length: 10_000 }, () => frame(9, "p".repeat(125))));
    for (let count = 0; count < 20; count += 1) visit.write(pings);
    visit.say("behind them");
    await until("it arrives", () => session.messages.includes("behind them"));
    visit.resume();
    session.say("the last");
    await until("the provider hears it", () => visit.received.includes("the last"));
    expect(visit.bytesRead).toBeLessThan(15_000_000);
    session.close();
  });
});
