/** Values by the names of members, so that an example reads like the real thing; where the schema takes none of them, others do. */
export const EXAMPLE_BY_NAME: Readonly<Record<string, readonly unknown[]>> = {
  ...{ name: ["Production"], title: ["Production"], slug: ["production"], description: ["What the support team uses."] },
  ...{ first_name: ["Ada"], last_name: ["Lovelace"], email: ["ada@example.com"], user: ["user-42"], city: ["London"] },
  ...{ text: ["Hello"], content: ["Hello"], input: ["Hello"], prompt: ["Hello"], query: ["What is the capital of France?"] },
  ...{ model: ["model-1"], currency: ["usd"], version: ["1.0.0"], host: ["api.example.com"], language: ["en"] },
  ...{ workspace_id: ["default"], scope: ["completions.write"], note: ["Renewed each quarter."], expires_at: ["2035-12-31T23:59:59.000Z"] },
  ...{ index: [0], total: [1], created: [1_767_225_600], created_at: ["2026-01-01T12:00:00.000Z", 1_767_225_600], status: ["active"] },
};
/** Values by the formats of texts. */
export const EXAMPLE_BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: "3c90c3cc-0d44-4b50-8888-8dd25736052a",
  "date-time": "2026-01-01T12:00:00.000Z",
  email: "ada@example.com",
  uri: "https://api.example.com/v1",
  binary: "(bytes)",
};
