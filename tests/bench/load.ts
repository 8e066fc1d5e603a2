/** One closed-loop load: so many connections, so many requests, every latency kept. */
export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: number;
  readonly requests: number;
}
export interface Loaded {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Milliseconds until the first byte of the body. */
  readonly firstP50Ms: number;
  /** How many pieces an answer arrived in: a stream whose chunks come one by one has one a chunk. */
  readonly readsP50: number;
  readonly failed: number;
}

export async function load({ url, headers, body, connections, requests }: Load): Promise<Loaded> {
  const took: number[] = [];
  const first: number[] = [];
  const reads: number[] = [];
  let failed = 0;
  let left = requests;
  const startedAt = performance.now();
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const at = performance.now();
      const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
      if (!response.ok) failed += 1;
      const reader = response.body?.getReader();
      await reader?.read();
      first.push(performance.now() - at);
      let pieces = 1;
      while (reader && !(await reader.read()).done) pieces += 1;
      reads.push(pieces);
      took.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = (performance.now() - startedAt) / 1000;
  const perSecond = requests / seconds;
  return { perSecond, p50Ms: at(took, 0.5), p99Ms: at(took, 0.99), firstP50Ms: at(first, 0.5), readsP50: at(reads, 0.5), failed };
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
