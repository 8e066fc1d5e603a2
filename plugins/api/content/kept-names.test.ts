import { describe, expect, test } from "bun:test";
import { idInAddress } from "./kept-names.ts";

const GOOGLE = "https://generativelanguage.googleapis.com";
describe("what is kept at an address", () => {
  test.each([
    [`${GOOGLE}/v1beta/files/k3jd8f0s2l4x`, "files/k3jd8f0s2l4x"],
    [`${GOOGLE}:443/v1beta/files/k3jd8f0s2l4x`, "files/k3jd8f0s2l4x"],
    [`https://me:pw@generativelanguage.googleapis.com/v1beta/files/k3jd8f0s2l4x`, "files/k3jd8f0s2l4x"],
    [` HTTPS://GenerativeLanguage.GoogleApis.com/v1beta/Files/k3jd8f0s2l4x`, "files/k3jd8f0s2l4x"],
    [`${GOOGLE}/v1beta//files//k3jd8f0s2l4x/`, "files/k3jd8f0s2l4x"],
    [`${GOOGLE}/v1beta/files%2Fk3jd8f0s2l4x`, "files/k3jd8f0s2l4x"],
    [`${GOOGLE}/v1beta/files/k3jd8f0s2l4x:download?alt=media#x`, "files/k3jd8f0s2l4x"],
    [`${GOOGLE}/v1beta/files/k3jd8f0s2l4x?x=${"y".repeat(20_000)}`, "files/k3jd8f0s2l4x"],
    ["files/k3jd8f0s2l4x", "files/k3jd8f0s2l4x"],
    ["cachedContents/abc", "cachedcontents/abc"],
    ["projects/p/locations/l/cachedContents/7", "cachedcontents/7"],
    ["https://example.com/files/report.pdf", undefined],
    ["https://generativelanguage.googleapis.com.example.com/v1beta/files/k3jd8f0s2l4x", undefined],
    [`https://example.com/?u=${GOOGLE}/v1beta/files/k3jd8f0s2l4x`, undefined],
    ["gs://bucket/files/x", undefined],
    ["data:text/plain;base64,aGk/files/k3jd8f0s2l4x", undefined],
    ["file-68d7512d07848190b3e45da0", undefined],
    ["plain", undefined],
  ])("%s: %p", (address, id) => expect(idInAddress(address)).toBe(id));
});
