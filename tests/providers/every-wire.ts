/** Every provider that serves chat, as one asks it: the wires of vendors' own, OpenAI's, and all that are declared to be like it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Host, Json, Manifest, Need, Provider } from "#contract";
import azure from "../../providers/azure-openai/index.ts";
import openai from "../../providers/openai/index.ts";
import anyServer, { interpret } from "../../providers/openai-compatible/index.ts";
import { EVERY as OWN_WIRES, type OwnWire } from "./own-wires.ts";

const FOLDER = join(import.meta.dir, "../../providers");
const HOST = { log: () => undefined, now: () => 0 } as unknown as Host<Need>; // no request leaves: nothing else of a host is asked for
const manifests = readdirSync(FOLDER)
  .map((id) => join(FOLDER, id, "manifest.json"))
  .filter((file) => existsSync(file)) // wires are no plugin
  .map((file) => JSON.parse(readFileSync(file, "utf8")) as Manifest);

const wire = (name: string, provider: Provider, fields: Json = {}): OwnWire => ({ name, provider, model: "m", fields });

export const OPENAI = wire("openai", (await openai.setup(HOST, {})).provides);
export const AZURE = wire("azure-openai", (await azure.setup(HOST, { authorityHost: "https://login.microsoftonline.com" })).provides, {
  azure_resource_name: "contoso",
  azure_api_version: "v1",
});
/** Any server may be behind it: nothing is changed on a guess. */
export const ANY_SERVER = wire("openai-compatible", (await anyServer.setup(HOST, {})).provides);
export const DECLARED: readonly OwnWire[] = await Promise.all(
  manifests
    .filter((manifest) => manifest.extends === "openai-compatible")
    .map(async (manifest) => wire(manifest.id, (await interpret(manifest).setup(HOST, {})).provides)),
);
export const declared = (id: string): OwnWire => DECLARED.find(({ name }) => name === id) ?? missing(id);
function missing(id: string): never {
  throw new Error(`There is no provider ${id}.`);
}

/** Vendors that speak OpenAI's wire, each known for what it is. */
export const OPENAI_LIKE: readonly OwnWire[] = [OPENAI, AZURE, ...DECLARED];
export const EVERY_VENDOR: readonly OwnWire[] = [...OWN_WIRES, ...OPENAI_LIKE];
export const EVERY_WIRE: readonly OwnWire[] = [...EVERY_VENDOR, ANY_SERVER];
export const idsOfPlugins: readonly string[] = manifests.filter(({ kind }) => kind === "provider").map(({ id }) => id);
