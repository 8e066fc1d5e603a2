import type { OutgoingRequest } from "#contract";

/** What the region's runtime does not serve, and which host does. */
const HOSTS: Readonly<Record<string, string>> = { "/rerank": "bedrock-agent-runtime", "/foundation-models": "bedrock" };
const ELSEWHERE = /^https:\/\/bedrock-runtime\.([^/]+)(\/rerank|\/foundation-models)(?=\?|$)/;

export const atItsHost = (request: OutgoingRequest): OutgoingRequest => ({
  ...request,
  url: request.url.replace(ELSEWHERE, (_, region: string, path: string) => `https://${HOSTS[path]}.${region}${path}`),
});
