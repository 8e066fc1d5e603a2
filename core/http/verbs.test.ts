import { expect, test } from "bun:test";
import type { Mount } from "./mount.ts";
import { joinedVerbs } from "./verbs.ts";

const mount = (path: string): Mount => ({ method: "POST", path, run: (_, __, params) => Response.json({ path, ...params }) });
const unknown = (): Response => Response.json({ path: null });
const mounts = joinedVerbs([mount("/v1/plain/:id"), mount("/v1beta/models/:model:ask"), mount("/v1beta/models/:model:count")], unknown);
const asked = async (pathname: string): Promise<unknown> => {
  const joined = mounts.find(({ path }) => path.endsWith("*")) ?? expect.unreachable();
  return (await joined.run(new Request(`http://h${pathname}`), { pathname, search: "" }, {})).json();
};

test("paths that differ in a verb are one route; others stay as they are", () => {
  expect(mounts.map(({ path }) => path)).toEqual(["/v1/plain/:id", "/v1beta/models/*"]);
});
test.each([
  ["gemini-2.5-flash:ask", ":model:ask", "gemini-2.5-flash"],
  ["@slug/gpt-4o:count", ":model:count", "@slug/gpt-4o"],
  ["%40slug%2Fgpt-4o:count", ":model:count", "@slug/gpt-4o"],
  ["claude-v1:0:ask", ":model:ask", "claude-v1:0"],
])("%s", async (asking, path, model) => {
  expect(await asked(`/v1beta/models/${asking}`)).toEqual({ path: `/v1beta/models/${path}`, model });
});
test.each(["gemini", "gemini:other", "gemini%3Aask", "gemini:as%6b", ":ask", "", "%ff:ask", "gemini:__proto__"])(
  "%s is no route",
  async (asking) => {
    expect(await asked(`/v1beta/models/${asking}`)).toEqual({ path: null });
  },
);
