import type { Adapter, Json } from "#contract";
import { answering } from "../answering.ts";
import { idAt, type Kept, newId, pick } from "../kept.ts";
import { missing } from "../missing.ts";
import { page } from "../page.ts";
import { Refusal } from "../refusal.ts";

/** 2026-01-01T00:00:00Z */
const CREATED = 1_767_225_600;

const SEEDED: readonly Json[] = ["Librarian", "Analyst", "Translator"].map((name, index) => ({
  id: `asst_${index + 1}`,
  object: "assistant",
  created_at: CREATED + index,
  name,
  description: `A sandbox ${name.toLowerCase()}.`,
  model: "sandbox-echo",
  instructions: null,
  tools: [{ type: "file_search" }],
  tool_resources: { file_search: { vector_store_ids: ["vs_1"] } },
  metadata: {},
  temperature: 1,
  top_p: 1,
  response_format: "auto",
}));

const SETTABLE = [
  "name",
  "description",
  "model",
  "instructions",
  "tools",
  "tool_resources",
  "metadata",
  "temperature",
  "top_p",
  "response_format",
] as const;

/** An assistant that somebody made, or that came with the sandbox. */
export function assistantOf(kept: Kept, id: string): Json {
  const assistant = kept.get(id) ?? SEEDED.find((seeded) => seeded["id"] === id);
  if (assistant?.["object"] !== "assistant")
    throw new Refusal(404, { message: `No assistant found with id '${id}'.`, param: "assistant_id" });
  return assistant;
}

export function assistants(kept: Kept, seconds: () => number): Record<string, Adapter> {
  return {
    listAssistants: {
      answer: answering(async (_, { search }) => {
        const unchanged = SEEDED.filter(({ id }) => kept.get(String(id)) === undefined);
        return page([...unchanged, ...(await kept.all("assistant"))], search);
      }),
    },
    createAssistant: { answer: answering((body) => kept.put(...created(body, seconds()))) },
    getAssistant: { answer: answering((_, { path }) => assistantOf(kept, idAt(path, 1))) },
    modifyAssistant: {
      answer: answering((body, { path }) => kept.put(idAt(path, 1), { ...assistantOf(kept, idAt(path, 1)), ...pick(body, SETTABLE) })),
    },
    deleteAssistant: {
      answer: answering((_, { path }) => {
        const { id } = assistantOf(kept, idAt(path, 1));
        if (kept.get(String(id)) === undefined) throw new Refusal(400, { message: `${String(id)} comes with the sandbox and stays.` });
        kept.drop(String(id));
        return { id, object: "assistant.deleted", deleted: true };
      }),
    },
  };
}

function created(body: Json, at: number): [string, Json] {
  if (typeof body["model"] !== "string" || body["model"] === "") throw missing("model");
  const id = newId("asst_");
  const blank = { name: null, description: null, instructions: null, tools: [], tool_resources: {}, metadata: {} };
  const freely = { temperature: 1, top_p: 1, response_format: "auto" };
  return [id, { id, object: "assistant", created_at: at, ...blank, ...freely, ...pick(body, SETTABLE) }];
}
