/** What leaves on Deno goes to the address that was judged, under the name it was looked up for. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { printedOnDeno } from "./on-deno.ts";
import { httpsVendor, type Vendor } from "./vendor.ts";

describe.skipIf(Bun.which("openssl") === null)("an HTTPS provider by a public name, on Deno", () => {
  let vendor: Vendor;
  beforeAll(async () => {
    vendor = await httpsVendor(["models.example.com"]);
  });
  afterAll(() => vendor.close());

  test("is called at the address that was judged: SNI, certificate and Host are the name's, and other names are refused", async () => {
    const at = (name: string): string => `https://${name}.example.com:${vendor.port}/v1/chat`;
    const printed = await printedOnDeno("pinned.ts", [
      vendor.authority,
      at("models"),
      at("others"),
      at("models"),
      at("private"),
      `https://models.example.com:1/`,
    ]);
    expect(printed).toEqual({
      outcomes: [
        "200 with a body",
        "UPSTREAM_UNREACHABLE its certificate is for another name",
        "200 with a body",
        expect.stringMatching(/^HOST_BLOCKED it is not a public address, .*GATEWAY_TRUSTED_HOSTS=private\.example\.com:\d+$/),
        "UPSTREAM_UNREACHABLE the connection was refused",
      ],
      lookedUp: ["models.example.com", "others.example.com", "private.example.com", "models.example.com"],
      open: 0,
    });
    const name = { sni: "models.example.com", host: `models.example.com:${vendor.port}`, body: "{}" };
    expect(vendor.asked).toEqual([name, name]);
  }, 30_000);
});
