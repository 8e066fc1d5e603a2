/** Asks addresses every few milliseconds, in a process of its own, and says on request how long the longest answer took since. */
export {};
const EVERY_MS = 4;
const worst = new Map<string, number>();

async function ask(url: string): Promise<void> {
  for (;;) {
    const startedAt = performance.now();
    await fetch(url).then((response) => response.text());
    worst.set(url, Math.max(worst.get(url) ?? 0, performance.now() - startedAt));
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
const urls = process.argv.slice(2);
for (const url of urls) void ask(url);

for await (const _ of console) {
  console.log(JSON.stringify(urls.map((url) => worst.get(url) ?? 0)));
  worst.clear();
}
