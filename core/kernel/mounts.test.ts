import { describe, expect, test } from "bun:test";
import { SCOPE_TABLE, wholePath } from "#contract";
import { verifies } from "../../tests/requirements/verifies.ts";
import { type Address, Addresses } from "./mounts.ts";

const route = (path: string, more: Partial<Address> = {}): Address => ({
  method: "GET",
  path,
  scope: "configs.read",
  ...more,
});
const taken = (): Addresses => {
  const addresses = new Addresses([...SCOPE_TABLE, { families: ["acme_status"], actions: ["read"], levels: "O" }]);
  addresses.take("admin/configs", [route("/v2/configs/:slug"), route("/v2/configs", { method: "POST" })]);
  return addresses;
};

describe("a plugin's routes", () => {
  test.each<[string, Address]>([
    ["of another's path", route("/v2/configs/:id")],
    ["of another's path and method", route("/v2/configs", { method: "POST" })],
    ["of another's path, spelt as an operation's beginning and rest", route(wholePath({ prefix: "/v2" }, "/configs/:id"))],
  ])("are refused whole where one is %s", (_, stolen) => {
    const addresses = taken();
    expect(() => addresses.take("admin/acme", [route("/v2/acme"), stolen])).toThrow("is already provided by admin/configs");
    expect(() => addresses.take("admin/other", [route("/v2/acme")])).not.toThrow();
  });
  test.each<[string, Address]>([
    ["on another plane", route("/admin/v2/configs/:id")],
    ["by another method", route("/v2/configs/:id", { method: "PATCH" })],
    ["elsewhere", route("/v2/acme/:id")],
  ])("may stand %s", (_, own) => expect(() => taken().take("admin/acme", [own])).not.toThrow());
  test.each<[string, unknown]>([
    ["says nothing", undefined],
    ["says null", null],
    ["names no scope", []],
    ["names what is no scope", [7]],
    ["says that it is not public", { public: false }],
    ["says something else", {}],
  ])(verifies("C.public", "are refused whole where one %s of who may ask it"), (_, scope) => {
    const addresses = taken();
    const open = { ...route("/v2/acme/open"), scope } as Address; // a plugin from elsewhere was not compiled with ours
    expect(() => addresses.take("admin/acme", [route("/v2/acme"), open])).toThrow("GET /v2/acme/open does not say who may ask it");
    expect(() => addresses.take("admin/other", [route("/v2/acme")])).not.toThrow();
  });
  test("ask for scopes that a key can hold, or are public", () => {
    const asking = (scope: Address["scope"]) => () => taken().take("admin/acme", [route("/v2/acme", { scope })]);
    expect(asking("acme_status.read")).not.toThrow();
    expect(asking(["configs.read", "acme_status.read"])).not.toThrow();
    expect(asking({ public: true })).not.toThrow();
    expect(asking("acme_status.write")).toThrow("asks for the scope acme_status.write, which there is not; declare it in the manifest");
  });
});
