import type { Adapter } from "#contract";
import { nativeRequest } from "../wires/anthropic/native.ts";

/** POST /messages as Anthropic defines it: bytes pass in both directions, and the body is touched only where Anthropic would refuse it. */
export const messages: Adapter = { request: nativeRequest };
