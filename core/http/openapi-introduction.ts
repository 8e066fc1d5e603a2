import { PREFIX, type Plane, type Passing, PASSING_PREFIX } from "#contract";
import type { OfflineChat } from "./offline-chat.ts";
import { PLANES } from "./planes.ts";

/** Groups of operations, by the plane they are in; a plane without any is not shown. */
export type Grouped = ReadonlyMap<Plane, readonly string[]>;

/** What stands before the operations: the planes that are mounted, which key goes where, and a first request. */
export function introduction(grouped: Grouped, { offline, passing, keyHeaders }: Introduced): string {
  const sections = [planes(grouped), passing && passed(passing), keys(keyHeaders), offline && firstRequest(offline)];
  return sections.filter((section) => section !== undefined).join("\n\n");
}
export interface Introduced {
  readonly offline: OfflineChat | undefined;
  readonly passing: Passing | undefined;
  readonly keyHeaders: readonly string[];
}

function planes(grouped: Grouped): string {
  const rows = [...grouped].map(
    ([plane, tags]) =>
      `- **${PLANES[plane].title}, \`${PREFIX[plane]}\`.** ${PLANES[plane].purpose} ${tags.join(", ")}. Key: ${PLANES[plane].key}`,
  );
  return `One address for every model provider. What runs here, and no more, is described on this page.\n\n## Planes\n\n${rows.join("\n")}`;
}

const passed = ({ scope }: Passing): string =>
  `Whatever else a provider has is asked below \`${PASSING_PREFIX}\`, or at its path below \`${PREFIX.data}\`: any method and body passes as it came. Scope: \`${scope}\`.`;

const keys = (headers: readonly string[]): string => `## Keys

Every key goes into the header \`x-gateway-api-key\`, or is the bearer token${headers.map((name) => `, or \`${name}\``).join("")}. With the key in the
first, the bearer token (else one of the others) of a request to the data plane is the provider's own credential. The first start makes an admin key and a gateway key, in the
files \`admin.key\` and \`gateway.key\` of its data folder. Each operation says which scope a key must hold for it.`;

const firstRequest = ({ provider, body }: OfflineChat): string => `## A first request

\`${provider}\` answers offline; no account is needed. \`GATEWAY_URL\` is where this document comes from:

\`\`\`sh
curl "$GATEWAY_URL${PREFIX.data}/chat/completions" \\
  -H "x-gateway-api-key: $(cat data/gateway.key)" \\
  -H "x-gateway-provider: ${provider}" \\
  -H "content-type: application/json" \\
  -d '${JSON.stringify(body)}'
\`\`\`

Add \`"stream": true\` for a stream. A real provider needs its own key beside the gateway's:
\`-H "x-gateway-provider: …" -H "authorization: Bearer …"\`.`;
