import { expect, test } from "bun:test";
import { problemsOf } from "../../../tests/kit/bound-check.ts";
import jwt from "../checks/jwt.ts";

const check = jwt({ fetch: () => Promise.reject(new Error("nobody is asked")) });
const A = "https://a.example.com/jwks";
const B = "https://b.example.com/jwks";

test("parameters that cannot be obeyed are refused when they are saved", () => {
  for (const wrong of [
    {},
    { jwksUri: "ftp://a.example.com" },
    { jwksUri: "https://a.example.com, nowhere" },
    { jwksUri: Array.from({ length: 11 }, (_, i) => `https://a${i}.example.com`).join(",") },
    { introspectEndpoint: "https://" },
    { jwksUri: A, maxTokenAge: "soon" },
    { jwksUri: A, claimPrefix: "jwt-" },
    { jwksUri: A, extractClaims: ["https://acme.example/role"] },
    { jwksUri: A, claimValues: { role: { values: "(", matchType: "regex" } } },
    { jwksUri: A, claimValues: { role: { values: "(a{100}){100}", matchType: "regex" } } },
    { jwksUri: A, introspectHeaders: "[1]" },
    { jwksUri: A, headerKey: "a b" },
  ])
    expect([wrong, problemsOf(check, wrong).length > 0]).toEqual([wrong, true]);
  expect(problemsOf(check, { jwksUri: `${A},${B}`, extractClaims: ["sub", "org_id"], maxTokenAge: "90 minutes" })).toEqual([]);
});
