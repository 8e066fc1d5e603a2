import { expect, test } from "bun:test";
import { letter } from "./letter.ts";

test("text and HTML say the same, and names are neither markup nor headers", () => {
  const { subject, text, html } = letter("For <b>\r\nBcc: eve@example.org", [
    'Hello "<script>"',
    { words: "Open & see", url: "https://g.example/a?b=1&c='" },
  ]);
  expect(subject).toBe("For <b> Bcc: eve@example.org");
  expect(text).toBe('Hello "<script>"\n\nOpen & see:\nhttps://g.example/a?b=1&c=\'\n');
  expect(html).toContain("<p>Hello &quot;&lt;script&gt;&quot;</p>");
  expect(html).toContain('<a href="https://g.example/a?b=1&amp;c=&#39;">Open &amp; see</a>');
  expect(html).not.toMatch(/<script|<b>/);
});
