import type { Json } from "#contract";

/** Is it an item that only a provider with a Responses API brings? A block of another form is none. */
export const isOutputItem = ({ type }: Json): boolean =>
  typeof type === "string" && (/_(call|call_output|results)$/.test(type) || type === "mcp_list_tools" || type === "mcp_approval_request");
