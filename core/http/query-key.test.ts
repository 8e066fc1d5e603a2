import { expect, test } from "bun:test";
import { withoutKey } from "./query-key.ts";

test("a key is taken out of a query, and the rest of it stays", () => {
  expect(withoutKey("")).toEqual({ search: "", key: undefined });
  expect(withoutKey("?alt=sse")).toEqual({ search: "?alt=sse", key: undefined });
  expect(withoutKey("?key=secret")).toEqual({ search: "", key: "secret" });
  expect(withoutKey("?key=a&alt=sse&key=b&%6Bey=c")).toEqual({ search: "?alt=sse", key: "a" });
  expect(withoutKey("?access_token=token&alt=json")).toEqual({ search: "?alt=json", key: "token" });
  expect(withoutKey("?key=&access_token=token")).toEqual({ search: "", key: "token" });
});
