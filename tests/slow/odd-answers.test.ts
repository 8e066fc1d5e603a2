/** Answers nested too deeply, too wide or too long, whole and streamed: each request is answered, and settled once. */
import { describe } from "bun:test";
import { forAll } from "../e2e/endpoints/api.ts";
import { DEEP, LARGE, testStreams, testWhole } from "../e2e/odd-answers.ts";

const api = forAll();
describe.each(Object.entries(LARGE))("%s", (_, make) => testWhole(api, make()));
describe.each(Object.entries({ ...DEEP, ...LARGE }))("%s", (_, make) => testStreams(api, make()));
