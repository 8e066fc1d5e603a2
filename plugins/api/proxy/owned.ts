import type { OwnedIds } from "#contract";
import { alsoMade, lists, made } from "./answered.ts";
import { looksLikeId } from "../content/kept-names.ts";
import { inBody, inPath } from "./named.ts";

/*
 * What was made through the gateway is recorded, and another workspace's is not there, wherever a request names it. Of what
 * nobody recorded, only what looks like no word may be somebody else's.
 */

/** Uploads. Whatever else is no JSON may be read as such by its provider, and name anything. */
const UPLOAD = /^\s*(?:(?:multipart|audio|image|video|font)\/|application\/(?:octet-stream|pdf|zip|gzip)\s*(?:;|$))/i;

const named: OwnedIds = { path: inPath, namedInTurns: inBody, looksLikeId, isUpload: (contentType) => UPLOAD.test(contentType) };
const making: OwnedIds = { ...named, made, parts: { of: alsoMade, events: [] } };
const reading: OwnedIds = { ...named, lists: true, listsIn: lists };

/** What a request that passes names, and what its answer makes or lists. */
export const ownedBy = (method: string): OwnedIds =>
  method === "GET" || method === "HEAD" ? reading : method === "DELETE" ? named : making;
