import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";

const PAGE = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Sprocket</title></head>
  <body><h1>Sprocket</h1></body>
</html>
`;
/** Every file of the console, by its path below the mount. */
const FILES: ReadonlyMap<string, Blob> = new Map([["index.html", new Blob([PAGE], { type: "text/html; charset=utf-8" })]]);

/** A console of one page. */
export default definePlugin({
  kind: "console",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { mount: "/sprocket", asset: async (path) => FILES.get(path) } }),
});
