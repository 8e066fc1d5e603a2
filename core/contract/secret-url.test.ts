import { describe, expect, test } from "bun:test";
import { holdsHidden, holdsUrlSecret, maskUrl, restoreUrl, urlTokens } from "./secret-url.ts";

const TOKEN = "T0ken-abcdefghij0123456789";

test.each([
  ["https://h.example/hook?token=abc&x=1", "https://h.example/hook?token=***&x=***"],
  ["https://h.example/hook?abc", "https://h.example/hook?***"],
  ["https://h.example/hook?a=&b", "https://h.example/hook?a=&***"],
  ["https://h.example/?sig=a=b==", "https://h.example/?sig=***"],
  ["https://user:pass@h.example/x", "https://***@h.example/x"],
  ["https://user@h.example:8443/x#part", "https://***@h.example:8443/x#***"],
  [`https://h.example/services/T012/B345/${TOKEN}`, "https://h.example/services/T012/B345/***"],
  ["https://h.example/a-long-name-of-a-workflow/v1", "https://h.example/a-long-name-of-a-workflow/v1"],
  ["https://h.example?token=abc", "https://h.example?token=***"],
  ["https://h.example", "https://h.example"],
  ["http://127.0.0.1:8080/judge", "http://127.0.0.1:8080/judge"],
  ["https://h.example\\services\\T0ken0123456789abc", "https://h.example\\services\\***"], // a backslash is a slash to those who parse it
  ["https:\\\\u:p@h.example\\hook?token=abc", "https:\\\\***@h.example\\hook?token=***"],
  [" \thttps://h.example/hook?token=abc", " \thttps://h.example/hook?token=***"],
  ["HTTPS://h.example/hook?token=abc", "HTTPS://h.example/hook?token=***"],
  ["https:/h.example/hook?token=abc", "https:/h.example/hook?token=***"],
  ["ht\ttps://u:p@h.exa\nmple/ho\tok?token=abc", "ht\ttps://***@h.exa\nmple/ho\tok?token=***"],
  ["https://h.example/x/AbCdEfGhIjKlMnOpQrStUvWx", "https://h.example/x/***"],
  ["https://h.example/x/TheNameOfAService", "https://h.example/x/TheNameOfAService"],
  ["https://hooks.h.example/hooks/catch/1234567/3abc12d/", "https://hooks.h.example/hooks/catch/***/***/"],
  ["https://h.example/v1/webhooks/acme/3abc12d", "https://h.example/v1/webhooks/acme/***"],
  ["https://h.example/v1/models/gpt-4o/3abc12d", "https://h.example/v1/models/gpt-4o/3abc12d"],
  ["no URL?token=abc", "no URL?token=abc"],
  ["", ""],
])("%s is shown as %s", (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
  expect(holdsUrlSecret(url)).toBe(url !== shown);
  expect(holdsHidden(shown)).toBe(url !== shown);
  if (url !== shown) expect(restoreUrl(shown, url)).toBe(url);
});

describe("written back", () => {
  const stored = `https://u:p@h.example/services/${TOKEN}?token=abc&token=def&x=1#frag`;
  test.each<[string, string, string | undefined]>([
    [
      "in part, keeps the hidden part",
      `https://***@h.example/services/***?token=***&token=new&x=2#other`,
      `https://u:p@h.example/services/${TOKEN}?token=abc&token=new&x=2#other`,
    ],
    ["without a part, loses it", "https://h.example/services/***?x=***", `https://h.example/services/${TOKEN}?x=1`],
    [
      "in another order, keeps each name's own",
      `https://h.example/services/***?x=***&token=***`,
      `https://h.example/services/${TOKEN}?x=1&token=abc`,
    ],
    [
      "with a parameter more, keeps the others",
      "https://h.example/services/***?token=***&new=1",
      `https://h.example/services/${TOKEN}?token=abc&new=1`,
    ],
    ["to another host, keeps nothing", "https://evil.example/services/***?token=***", undefined],
    ["to another port, keeps nothing", "https://h.example:1/services/***?token=***", undefined],
    ["to another scheme, keeps nothing", "http://h.example/services/***?token=***", undefined],
    ["to another path, keeps nothing", "https://h.example/other/***?token=***", undefined],
    ["to another path beside the token, keeps nothing", "https://h.example/***/services?token=***", undefined],
    ["under a name that is not stored, keeps nothing", "https://h.example/services/***?other=***", undefined],
    ["more often than it is stored, keeps nothing", "https://h.example/services/***?x=***&x=***", undefined],
    ["with the host hidden in a user, keeps nothing", "https://h.example@evil.example/services/***", undefined],
  ])("%s", (_, written, restored) => expect(restoreUrl(written, stored)).toBe(restored));
});

test("its tokens are told, and ordinary words are not", () =>
  expect(
    urlTokens(`https://u:${TOKEN}1@h.example/hook/${TOKEN}2?a=${TOKEN}3&api-version=2026-01-01-preview&tab=settings#${TOKEN}4`),
  ).toEqual([2, 3, 1, 4].map((i) => TOKEN + i)));
