/** Files and batches of vendors that keep them in a form of their own: refused, with who serves them. */
import { expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { forAll } from "./api.ts";

const api = forAll();
/** Data sheets 7.7 and 7.8 list these vendors; their adapters have no such operation. */
const VENDORS = ["anthropic", "bedrock", "vertex-ai", "fireworks-ai"] as const;
const ASKED = [
  ["listFiles", "GET", "/v1/files", undefined],
  ["retrieveFile", "GET", "/v1/files/file-1", undefined],
  ["deleteFile", "DELETE", "/v1/files/file-1", undefined],
  ["createBatch", "POST", "/v1/batches", { input_file_id: "file-1", endpoint: "/v1/chat/completions", completion_window: "24h" }],
  ["listBatches", "GET", "/v1/batches", undefined],
] as const;

test.each(VENDORS)(verifies("D7.7.elsewhere", "%s is refused by name, with the providers that serve it"), async (provider) => {
  for (const [, method, path, body] of ASKED) {
    const { status, json } = await api.data(method, path, { "x-gateway-provider": provider, authorization: "Bearer k" }, body);
    const { message } = json["error"] as unknown as { readonly message: string };
    expect({ status, message }).toEqual({ status: 400, message: expect.stringContaining(`The provider ${provider} does not serve `) });
    expect(/these do: (.*)\.$/.exec(message)?.[1]?.split(", ")).toEqual(expect.arrayContaining(["openai", "azure-openai", "groq"]));
  }
});
