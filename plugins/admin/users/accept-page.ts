import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { defineRoute, type Route } from "#contract";
import { TokenQuery } from "./accept.ts";

/** Sends the form to where the page stands. The keys are shown in the page and kept nowhere. */
const SCRIPT = `
const form = document.forms[0], out = document.querySelector("output");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  form.elements.accept.disabled = true;
  const body = JSON.stringify({ first_name: form.elements.first_name.value, last_name: form.elements.last_name.value });
  const answer = await window.fetch(location.href, { method: "POST", headers: { "content-type": "application/json" }, body }).catch(() => undefined);
  const said = await answer?.json().catch(() => undefined);
  form.elements.accept.disabled = answer?.ok === true;
  if (!answer?.ok) return void (out.textContent = said?.error?.message ?? "The gateway could not be reached. Try again.");
  form.hidden = true;
  const keys = said.api_keys.map((key) => "Key for the workspace " + key.workspace_id + ", shown here and never again:\\n" + key.key);
  out.textContent = ["Welcome. You belong to the organisation now.", ...keys].join("\\n\\n");
});
`;
const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem }
label, input, button { display: block; width: 100%; box-sizing: border-box; margin: 0 0 1rem; font: inherit }
input, button { padding: .5rem }
output { white-space: pre-wrap; overflow-wrap: anywhere }
`;
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>Accept the invitation</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Accept the invitation</h1>
<form>
<label>First name <input name="first_name" required maxlength="255" autocomplete="given-name"></label>
<label>Last name <input name="last_name" required maxlength="255" autocomplete="family-name"></label>
<button name="accept">Accept</button>
</form>
<output role="status"></output>
<noscript>This page needs JavaScript.</noscript>
<script>${SCRIPT}</script>
</body>
</html>
`;
const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
/** Its address is the invitation itself: it goes to no other site, no cache and no frame. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; connect-src 'self'; script-src ${hashOf(SCRIPT)}; style-src ${hashOf(STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Where the link of an invitation leads. Looking at it does nothing: mail scanners open links. */
export const acceptPage: Route = defineRoute({
  plane: "control",
  method: "GET",
  path: "/admin/users/invites/accept",
  tag: "User Invites",
  summary: "The page of an invite",
  description: "What somebody sees who opens the link: a page that asks for a name, and accepts the invite with it.",
  scope: { public: true },
  query: TokenQuery,
  reply: Type.String({ description: "HTML." }),
  errors: [400],
  handle: () => new Response(PAGE, { headers: HEADERS }),
});
