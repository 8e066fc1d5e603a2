import { expect, test } from "bun:test";
import type { CheckInput } from "#contract";
import { testPack } from "../../tests/kit/check.ts";
import { Vendor } from "../../tests/kit/vendor.ts";
import { verifies } from "../../tests/requirements/verifies.ts";
import guard from "./checks/guard.ts";
import manifest from "./manifest.json";
import pack from "./index.ts";
import { signedForm } from "./sign.ts";

await testPack(pack, manifest);

test(verifies("G.partners.signed", "a form is signed over its members, by their names and escaped twice"), () => {
  const form = signedForm({ B: "a b*~", A: "ä&=" }, "testsecret");
  const text = "POST&%2F&A%3D%25C3%25A4%2526%253D%26B%3Da%2520b%252A~";
  const expected = new Bun.CryptoHasher("sha1", "testsecret&").update(text).digest("base64");
  expect(form).toBe(`B=a+b*%7E&A=%C3%A4%26%3D&Signature=${encodeURIComponent(expected)}`);
});

const account = { accessKeyId: "AK1", accessKeySecret: "s3cret", region: "cn-shanghai" };
test(verifies("G.partners.fixtures", "a request says what is asked, when, by whom, and once"), async () => {
  const vendor = new Vendor(manifest.needs);
  vendor.answers(() => Response.json({ Code: 200, Data: { Suggestion: "pass", Detail: [] } }));
  const segments = [{ path: "choices[0]", role: "assistant", kind: "text", text: "it is sunny" }];
  const call = { header: () => null };
  const input = {
    side: "output",
    segments,
    params: { level: "low", redact: false },
    call,
    signal: new AbortController().signal,
    credentials: () => account,
  };
  const check = guard(vendor.host);
  await check.run(input as unknown as CheckInput<unknown>); // what it reads of its input
  await check.run(input as unknown as CheckInput<unknown>);
  const forms = vendor.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  const { SignatureNonce: nonce, Signature: signature, ...members } = forms[0] ?? {};
  expect(members).toEqual({
    Action: "MultiModalGuard",
    Version: "2022-03-02",
    AccessKeyId: "AK1",
    Timestamp: "2023-11-14T22:13:20Z",
    SignatureMethod: "HMAC-SHA1",
    SignatureVersion: "1.0",
    Format: "JSON",
    Service: "response_security_check_pro",
    ServiceParameters: '{"content":"it is sunny"}',
  });
  expect(vendor.requests[0]?.url).toBe("https://green-cip.cn-shanghai.aliyuncs.com/");
  expect(signedForm({ ...members, SignatureNonce: nonce ?? "" }, "s3cret")).toContain(encodeURIComponent(signature ?? "none"));
  expect(forms[1]?.["SignatureNonce"]).not.toBe(nonce);
  expect(vendor.requests.map(({ body }) => body).join()).not.toContain("s3cret");
});
