import { expect, test } from "bun:test";
import type { Feed } from "#contract";
import { closedHandle, eventually, expectUnavailable, handleOf, type Subject, unique } from "./subject.ts";

export const feedSuite = (subject: Subject): void => {
  const near = (): Feed => handleOf(subject.near(), "feed");
  const far = (): Feed => handleOf(subject.far(), "feed");
  const listen = async (feed: Feed, topic: string): Promise<{ heard: (string | null)[]; stop: () => Promise<void> }> => {
    const heard: (string | null)[] = [];
    return { heard, stop: await feed.subscribe(topic, (message) => heard.push(message)) };
  };

  test("a message reaches its publisher and every other connection within a second, in order", async () => {
    const topic = unique("topic");
    const [here, there] = [await listen(near(), topic), await listen(far(), topic)];
    for (const message of ["one", "two ü😀", ""]) await near().publish(topic, message);
    for (const { heard, stop } of [here, there]) {
      await eventually("all three arrive", () => heard.length >= 3, 1000);
      expect(heard.filter((message) => message !== null)).toEqual(["one", "two ü😀", ""]);
      await stop();
    }
  });

  test("messages go to their topic only", async () => {
    const [topic, other] = [unique("topic"), unique("other")];
    const [wanted, unwanted] = [await listen(far(), topic), await listen(far(), other)];
    await near().publish(topic, "for topic");
    await eventually("it arrives", () => wanted.heard.includes("for topic"), 1000);
    expect(unwanted.heard.filter((message) => message !== null)).toEqual([]);
    await Promise.all([wanted.stop(), unwanted.stop()]);
  });

  test("a subscription that ended hears nothing more, and others go on", async () => {
    const topic = unique("topic");
    const [ended, going] = [await listen(far(), topic), await listen(far(), topic)];
    await ended.stop();
    await near().publish(topic, "later");
    await eventually("the other hears it", () => going.heard.includes("later"), 1000);
    expect(ended.heard).not.toContain("later");
    await going.stop();
  });

  test("a listener that throws keeps nobody else from hearing", async () => {
    const topic = unique("topic");
    const stop = await far().subscribe(topic, () => {
      throw new Error("a listener's own fault");
    });
    const sound = await listen(far(), topic);
    await near().publish(topic, "still here");
    await eventually("the other hears it", () => sound.heard.includes("still here"), 1000);
    await Promise.all([stop(), sound.stop()]);
  });

  test("what was published before a subscription is not repeated to it", async () => {
    const topic = unique("topic");
    await near().publish(topic, "before");
    const late = await listen(far(), topic);
    await near().publish(topic, "after");
    await eventually("the later one arrives", () => late.heard.includes("after"), 1000);
    expect(late.heard).not.toContain("before");
    await late.stop();
  });

  test("a sign of life comes within a second, from two who ask at once too, and is no message", async () => {
    const topic = unique("topic");
    const { heard, stop } = await listen(far(), topic);
    const asked = Promise.all([near().heartbeat(), far().heartbeat(), far().heartbeat()]).then(() => true);
    expect(await Promise.race([asked, new Promise((resolve) => setTimeout(() => resolve("too late"), 1_000))])).toBe(true);
    expect(heard.filter((message) => message !== null)).toEqual([]);
    await stop();
  });

  test("publishing on a closed backend is STORAGE_UNAVAILABLE", async () => {
    const closed = await closedHandle(subject, "feed");
    await expectUnavailable(() => closed.publish("x", "x"));
    await expectUnavailable(() => closed.subscribe("x", () => undefined));
    await expectUnavailable(() => closed.heartbeat());
  });
};
