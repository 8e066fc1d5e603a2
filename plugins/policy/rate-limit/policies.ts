import { type Host, type RecordOf, RateLimitPolicies, recordTopic } from "#contract";

export type RateLimitPolicy = RecordOf<typeof RateLimitPolicies>;
export interface PolicyReader {
  /** Active LLM policies of a workspace; without a promise when they are warm. */
  of(workspaceId: string): readonly RateLimitPolicy[] | Promise<readonly RateLimitPolicy[]>;
  listen(): Promise<void>;
  close(): Promise<void>;
}

const PAGE = 500;

/**
 * The policies of each workspace, read once and kept until one is written anywhere. A policy that is new changes the
 * list it belongs to, so any write drops all lists; there are few and they are small.
 */
export function policyReader({ records, feed }: Pick<Host<"records" | "feed">, "records" | "feed">): PolicyReader {
  const lists = new Map<string, readonly RateLimitPolicy[] | Promise<readonly RateLimitPolicy[]>>();
  let unsubscribe: (() => Promise<void>) | undefined;

  const read = (workspaceId: string): Promise<readonly RateLimitPolicy[]> => {
    const reading = readAll(workspaceId).then(
      (list) => {
        if (lists.get(workspaceId) === reading) lists.set(workspaceId, list);
        return list;
      },
      (error: unknown) => {
        if (lists.get(workspaceId) === reading) lists.delete(workspaceId);
        throw error;
      },
    );
    lists.set(workspaceId, reading);
    return reading;
  };
  async function readAll(workspace_id: string): Promise<RateLimitPolicy[]> {
    const found: RateLimitPolicy[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const { data } = await records
        .in(RateLimitPolicies)
        .list({ where: { workspace_id, status: "active", target: "llm" }, limit: PAGE, offset });
      found.push(...data);
      if (data.length < PAGE) return found;
    }
  }

  return {
    of: (workspaceId) => lists.get(workspaceId) ?? read(workspaceId),
    listen: async () => {
      unsubscribe = await feed.subscribe(recordTopic(RateLimitPolicies), () => lists.clear());
    },
    close: async () => unsubscribe?.(),
  };
}
