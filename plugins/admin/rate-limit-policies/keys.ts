import { GatewayError } from "#contract";

type Target = "llm" | "mcp_tools";
type Use = "condition" | "group_by";

/** Which keys conditions and groups may name, by target. */
const KEYS: { readonly [key: string]: { readonly [T in Target]?: readonly Use[] } } = {
  api_key: { llm: ["condition", "group_by"], mcp_tools: ["condition", "group_by"] },
  workspace_id: { llm: ["condition", "group_by"], mcp_tools: ["condition", "group_by"] },
  virtual_key: { llm: ["condition", "group_by"] },
  provider: { llm: ["condition", "group_by"] },
  config: { llm: ["condition", "group_by"] },
  prompt: { llm: ["condition", "group_by"] },
  model: { llm: ["condition", "group_by"] },
  endpoint_type: { llm: ["condition"] },
  mcp_server: { mcp_tools: ["condition", "group_by"] },
  mcp_tool: { mcp_tools: ["condition", "group_by"] },
};

/** Throws for a key that this target does not know: the policy would never apply. */
export function judgeKeys(items: readonly { readonly key: string }[], use: Use, target: Target): void {
  items.forEach(({ key }, i) => {
    if (/^metadata\..+/.test(key) || (Object.hasOwn(KEYS, key) && KEYS[key]?.[target]?.includes(use))) return;
    const allowed = Object.keys(KEYS).filter((name) => KEYS[name]?.[target]?.includes(use));
    const param = `${use === "condition" ? "conditions" : "group_by"}[${i}].key`;
    throw new GatewayError(
      "REQUEST_INVALID",
      { what: `The key ${key} cannot stand here with the target ${target}; known are ${allowed.join(", ")} and metadata.<key>.` },
      { param },
    );
  });
}
