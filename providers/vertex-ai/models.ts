/** What the workspace's catalogue lists for Vertex AI; other models of these publishers work as well. */
export const models = [
  "gemini-3.1-pro-preview",
  "gemini-3-pro-preview",
  "gemini-3-flash-preview",
  "gemini-2.5-pro",
  "gemini-2.5-flash",
  "gemini-2.5-flash-lite",
  "gemini-embedding-001",
  "anthropic.claude-opus-4-6",
  "anthropic.claude-sonnet-4-6",
  "anthropic.claude-opus-4-5@20251101",
  "anthropic.claude-sonnet-4-5@20250929",
  "anthropic.claude-haiku-4-5@20251001",
] as const;
