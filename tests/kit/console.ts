import { describe, expect, test } from "bun:test";
import { forAll, type PluginCase } from "./set-up.ts";

const ODD_PATHS = [
  "../manifest.json",
  "../../package.json",
  "/etc/passwd",
  "..%2f..%2fpackage.json",
  "\u0000",
  "nothing-like-this.js",
  "index.html/..",
];

/** Conformance of a web console: it shows its page, gives its own files only, and asks no other server for anything. */
export function testConsole(given: PluginCase<"console">): void {
  describe(`console ${given.manifest.id}`, () => {
    const at = forAll(given);
    const page = async (): Promise<string> => (await at().provides.asset("index.html"))?.text() ?? expect.unreachable();

    test("has one mount, below the root", () => expect(at().provides.mount).toMatch(/^\/[a-z][a-z0-9_-]*$/));
    test("shows a page of HTML", async () => {
      expect((await at().provides.asset("index.html"))?.type).toStartWith("text/html");
      expect(await page()).toContain("<html");
    });
    test("gives none but its own files", async () => {
      for (const path of ODD_PATHS) expect([path, await at().provides.asset(path)]).toEqual([path, undefined]);
    });
    test("loads nothing from elsewhere: closed networks have it whole", async () => {
      const loaded = [...(await page()).matchAll(/(?:src|href)\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]+)/g)].map(([, url]) => url);
      expect(loaded).toEqual([]);
    });
  });
}
