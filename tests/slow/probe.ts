/**
 * Asks addresses every few milliseconds, in a process of its own, and says on request how long the longest answer took
 * since; what is being waited for at that moment counts too.
 */
export {};
const EVERY_MS = 4;
const worst = new Map<string, number>();
const open = new Map<string, Promise<void>>();

async function ask(url: string): Promise<void> {
  for (;;) {
    const asking = once(url);
    open.set(url, asking);
    await asking;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
async function once(url: string): Promise<void> {
  const startedAt = performance.now();
  await fetch(url).then((response) => response.text());
  worst.set(url, Math.max(worst.get(url) ?? 0, performance.now() - startedAt));
}
const urls = process.argv.slice(2);
for (const url of urls) void ask(url);

for await (const _ of console) {
  await Promise.all(open.values());
  console.log(JSON.stringify(urls.map((url) => worst.get(url) ?? 0)));
  worst.clear();
}
