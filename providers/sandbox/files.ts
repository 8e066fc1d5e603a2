import type { Adapter, AdapterInput, Json, OutgoingRequest } from "#contract";
import { answering } from "./answering.ts";
import { formWith, textIn } from "./form.ts";
import { type KeptFile, type KeptFiles, shownFile } from "./kept-files.ts";
import { missing } from "./missing.ts";
import { page } from "./page.ts";

/** Files: remembered as they were uploaded, while the sandbox runs. */
export const files = (kept: KeptFiles, now: () => number) =>
  ({
    uploadFile: { answer: answering(async (_, _ask, signal, request) => shownFile(await uploaded(request, signal, kept, now))) },
    listFiles: { answer: answering((_, { search }) => listed(kept, search)) },
    retrieveFile: { answer: answering((_, ask) => shownFile(kept.get(fileId(ask)))) },
    deleteFile: { answer: answering((_, ask) => deleted(kept, fileId(ask))) },
    retrieveFileContent: { answer: answering((_, ask) => download(kept.get(fileId(ask)))) },
  }) satisfies Record<string, Adapter>;

const fileId = ({ path }: AdapterInput): string => decodeURIComponent(path.split("/")[2] ?? "");

async function uploaded(request: OutgoingRequest, signal: AbortSignal, kept: KeptFiles, now: () => number): Promise<KeptFile> {
  const form = await formWith("file", request, signal);
  const file = form.get("file");
  const purpose = textIn(form, "purpose");
  if (!(file instanceof File) || purpose === undefined || purpose === "") throw missing(purpose ? "file" : "purpose");
  const bytes = new Uint8Array(await file.arrayBuffer());
  return kept.add({ name: file.name, purpose, createdAt: Math.floor(now() / 1000), bytes });
}

function listed(kept: KeptFiles, search: string): Json {
  const purpose = new URLSearchParams(search).get("purpose");
  const ofPurpose = kept.all().filter((file) => purpose === null || file.purpose === purpose);
  return page(ofPurpose.map(shownFile), search);
}

function deleted(kept: KeptFiles, id: string): Json {
  kept.remove(id);
  return { id, object: "file", deleted: true };
}

export const download = ({ bytes, name }: KeptFile): Response =>
  new Response(bytes, {
    headers: { "content-type": "application/octet-stream", "content-disposition": `attachment; filename="${encodeURIComponent(name)}"` },
  });
