import { DOCS_PATH, makePage, type Page } from "./docs-page.ts";
import { isKept, readScript, SCRIPT_PATH, scriptAnswer } from "./docs-script.ts";
import type { Mount } from "./mount.ts";
import { onceMade } from "./once-made.ts";

/** `/docs`: the API document as a page to read and to try, and the one script that it loads. */
export function docsRoutes(info: { readonly title: string; readonly version: string }): readonly Mount[] {
  const page = onceMade(() => makePage(info));
  const script = onceMade(readScript);
  return [
    { method: "GET", path: DOCS_PATH, run: async (request) => pageAnswer(request, await page()) },
    { method: "GET", path: SCRIPT_PATH, run: async (request) => scriptAnswer(request, await script()) },
  ];
}

const isFolder = ({ url }: Request): boolean => new URL(url).pathname.endsWith("/");

function pageAnswer(request: Request, { html, etag, policy }: Page): Response {
  if (isFolder(request)) return new Response(null, { status: 308, headers: { location: "../docs" } }); // what the page loads stands beside it
  const headers = {
    etag,
    "cache-control": "no-cache",
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
  if (isKept(request.headers, etag)) return new Response(null, { status: 304, headers });
  return new Response(html, { headers: { ...headers, "content-type": "text/html; charset=utf-8" } });
}
