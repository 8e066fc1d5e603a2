import { expect, test } from "bun:test";
import type { KeyValue } from "#contract";
import { closedHandle, eventually, expectUnavailable, handleOf, type Subject, unique } from "./subject.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const keyValueSuite = (subject: Subject): void => {
  const near = (): KeyValue => handleOf(subject.near(), "kv");
  const far = (): KeyValue => handleOf(subject.far(), "kv");

  test("bytes come back as they were set, on every connection", async () => {
    const key = unique("bytes");
    const value = Uint8Array.from({ length: 256 }, (_, index) => index);
    await near().set(key, value);
    expect(new Uint8Array((await far().get(key)) ?? [])).toEqual(value);
    await far().set(key, new Uint8Array());
    expect((await near().get(key))?.byteLength).toBe(0);
  });

  test("an unknown, deleted or expired key is undefined", async () => {
    const key = unique("gone");
    expect(await near().get(key)).toBeUndefined();
    await near().set(key, bytes("a"));
    await far().delete(key);
    expect(await near().get(key)).toBeUndefined();
    await near().set(key, bytes("b"), 50);
    await eventually("the key expires", async () => (await far().get(key)) === undefined);
  });

  test("a time to live is kept until it ends, and setting anew without one removes it", async () => {
    const [kept, renewed, brief] = [unique("kept"), unique("renewed"), unique("brief")];
    await near().set(kept, bytes("a"), 600_000);
    await near().set(renewed, bytes("a"), 60);
    await near().set(renewed, bytes("b"));
    await near().set(brief, bytes("c"), 100);
    await eventually("the brief key expires", async () => (await near().get(brief)) === undefined);
    expect(await near().get(kept)).toBeDefined();
    expect(await near().get(renewed)).toBeDefined();
  });

  test("only one of many adds wins, and its value stays", async () => {
    const key = unique("add");
    const wins = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? near() : far()).add(key, bytes(String(index)), 60_000)),
    );
    expect(wins.filter(Boolean).length).toBe(1);
    expect(new TextDecoder().decode(await near().get(key))).toBe(String(wins.indexOf(true)));
  });

  test("an expired or deleted lease can be taken again", async () => {
    const key = unique("lease");
    expect(await near().add(key, bytes("a"), 60)).toBe(true);
    expect(await far().add(key, bytes("b"), 600_000)).toBe(false);
    await eventually("the lease ends", () => far().add(key, bytes("b"), 600_000));
    expect(await near().add(key, bytes("c"))).toBe(false);
    await far().delete(key);
    expect(await near().add(key, bytes("c"))).toBe(true);
  });

  test("a lease is renewed by who holds it, for as long as it lives, and by nobody else", async () => {
    const key = unique("renewed");
    expect(await near().renew(key, bytes("a"), 600_000)).toBe(false);
    expect(await near().add(key, bytes("a"), 100)).toBe(true);
    expect(await far().renew(key, bytes("b"), 600_000)).toBe(false);
    expect(await near().renew(key, bytes("a"), 600_000)).toBe(true);
    const [brief, all] = [unique("brief"), Uint8Array.from({ length: 256 }, (_, index) => index)];
    expect(await near().add(brief, all, 100)).toBe(true);
    await eventually("the brief lease ends", async () => (await near().get(brief)) === undefined);
    expect(await near().renew(brief, all, 600_000)).toBe(false);
    expect(await far().get(key)).toBeDefined();
    expect(await far().add(brief, all, 600_000)).toBe(true);
    expect(await near().renew(brief, all, 600_000)).toBe(true);
    expect(await near().renew(key, bytes("a"), 0)).toBe(true);
    await eventually("a lease that was given back can be taken", () => far().add(key, bytes("b"), 600_000));
  });

  test("a closed backend is STORAGE_UNAVAILABLE and never an answer", async () => {
    const closed = await closedHandle(subject, "kv");
    await expectUnavailable(() => closed.get("x"));
    await expectUnavailable(() => closed.set("x", bytes("x")));
    await expectUnavailable(() => closed.add("x", bytes("x")));
    await expectUnavailable(() => closed.renew("x", bytes("x"), 1));
    await expectUnavailable(() => closed.delete("x"));
  });
};
