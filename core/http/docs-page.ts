import { createHash } from "node:crypto";
import { SCRIPT_PATH } from "./docs-script.ts";

/** The reference page, as it is sent. */
export interface Page {
  readonly html: string;
  readonly etag: string;
  /** What a browser may load and run for it. */
  readonly policy: string;
}

export const DOCS_PATH = "/docs";

/** Nothing of anybody else's: no fonts, no telemetry, no assistant, no link to a client elsewhere. Keys are not kept. */
const SCALAR = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  persistAuth: false,
  customCss: "", // by itself the plugin puts colours of its own framework there
  theme: "default",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
} as const;

const DOCUMENT = "openapi.json";

/**
 * Runs in the page before its script: a proxy may serve the gateway below a path, which only the browser knows. The document
 * is read, and what is tried is sent, relative to where the page stands.
 */
const PLACE = `{
      const reference = document.getElementById("api-reference");
      const given = JSON.parse(reference.getAttribute("data-configuration"));
      const base = location.origin + location.pathname.replace(/\\/[^/]*$/, "");
      const placed = { ...given, spec: { url: base + "/${DOCUMENT}" }, servers: [{ url: base }] };
      reference.setAttribute("data-configuration", JSON.stringify(placed));
    }`;

/** The page over `/openapi.json`. What makes it is loaded here, at the first request for it: it takes a tenth of a second. */
export async function makePage(info: { readonly title: string; readonly version: string }): Promise<Page> {
  const { swagger } = await import("@elysiajs/swagger");
  const source = SCRIPT_PATH.slice(1); // relative, for the page may stand below a path
  const description = `The API of this ${info.title}.`;
  const app = swagger({
    path: DOCS_PATH,
    scalarCDN: source,
    scalarConfig: { ...SCALAR, spec: { url: DOCUMENT } },
    documentation: { info: { ...info, description } },
  });
  const made = await (await app.handle(new Request(`http://localhost${DOCS_PATH}`))).text();
  const html = made.replace(`<script src="${source}"`, (script) => `<script>${PLACE}</script>\n    ${script}`);
  return { html, etag: `"${hashOf(html, "base64url")}"`, policy: policyOf(html) };
}

/** The scripts that stand in the page may run, by their hashes, and those that this origin serves; styles are made as it runs. */
function policyOf(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, code = ""]) => `'sha256-${hashOf(code, "base64")}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${inline.join(" ")}`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "media-src blob:",
    "font-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const hashOf = (text: string, encoding: "base64" | "base64url"): string => createHash("sha256").update(text).digest(encoding);
