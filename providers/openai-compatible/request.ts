import { isJson, type Json } from "#contract";
import { withAllowedTools } from "../wires/chat/allowed-tools.ts";
import { refuseLacks } from "../wires/chat/lacks.ts";
import { withCallIds } from "../wires/openai/call-ids.ts";
import { BODY, isAnyServer, refusedBy } from "../wires/openai/refused.ts";
import { withoutSilence } from "../wires/openai/silence.ts";
import { without } from "../wires/openai/without.ts";
import type { Declare } from "./declare.ts";
import { schemaInPrompt } from "./json-schema.ts";
import { withLastMessage } from "./last-message.ts";
import { reasoningOfThisTurn } from "./reasoning.ts";
import { refusalAsContent } from "./refusal.ts";

type Rewrite = (body: Json) => Json;

/**
 * The request rewriting that a vendor needs, as one function; absent when it needs none. A body that needs no change
 * comes back as the same object, so that its bytes can be sent as they came.
 */
export function rewriting(vendor: string, declare: Declare): Rewrite | undefined {
  const refused = refusedBy(vendor);
  const steps: Rewrite[] = [
    ...(declare.lacks ? [refusing(vendor, declare.lacks)] : []),
    ...(isAnyServer(vendor) ? [] : [withAllowedTools]),
    ...(declare.roles ? [roles(declare.roles)] : []),
    ...(refused["messages"]?.includes("refusal") ? [refusalAsContent] : []),
    ...(Object.keys(refused).length > 0 ? [without(refused)] : []),
    ...(declare.rename ? [rename(declare.rename)] : []),
    ...(declare.drop ? [without({ [BODY]: declare.drop })] : []),
    ...(declare.defaults ? [defaults(declare.defaults)] : []),
    ...(declare.clamp ? [clamp(declare.clamp)] : []),
    ...(isAnyServer(vendor) ? [] : [withoutSilence]),
    ...(declare.callIds ? [withCallIds(declare.callIds)] : []),
    ...(declare.reasoningAlways === undefined ? [] : [reasoningOfThisTurn(declare.reasoningAlways)]),
    ...(declare.jsonSchema === undefined ? [] : [schemaInPrompt(declare.jsonSchema)]),
    ...(declare.lastMessage ? [withLastMessage] : []),
  ];
  return steps.length === 0 ? undefined : (body) => steps.reduce((result, step) => step(result), body);
}

const refusing =
  (vendor: string, lacks: NonNullable<Declare["lacks"]>): Rewrite =>
  (body) => {
    refuseLacks(body, vendor, lacks);
    return body;
  };

const roles =
  (names: Readonly<Record<string, string>>): Rewrite =>
  (body) => {
    const messages: unknown = body["messages"];
    const stranger = (message: unknown): message is Json =>
      isJson(message) && typeof message["role"] === "string" && names[message["role"]] !== undefined;
    if (!Array.isArray(messages) || !messages.some(stranger)) return body;
    return {
      ...body,
      messages: messages.map((message: unknown) => (stranger(message) ? { ...message, role: names[String(message["role"])] } : message)),
    };
  };

const rename =
  (names: Readonly<Record<string, string>>): Rewrite =>
  (body) =>
    Object.entries(names).reduce((result, [from, to]) => {
      if (!(from in result)) return result;
      const { [from]: value, ...rest } = result;
      return value === null && to in rest ? rest : { ...rest, [to]: value };
    }, body);

const defaults = (values: Json): Rewrite => {
  const members = Object.keys(values);
  return (body) => (members.every((member) => body[member] !== undefined) ? body : { ...values, ...body });
};

const clamp =
  (limits: Readonly<Record<string, readonly [number | null, number | null]>>): Rewrite =>
  (body) => {
    const outside = Object.entries(limits).flatMap(([member, [lowest, highest]]) => {
      const value = body[member];
      if (typeof value !== "number") return [];
      const clamped = Math.min(Math.max(value, lowest ?? value), highest ?? Infinity);
      return clamped === value ? [] : [[member, clamped] as const];
    });
    return outside.length === 0 ? body : { ...body, ...Object.fromEntries(outside) };
  };
