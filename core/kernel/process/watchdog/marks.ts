/**
 * Where the main thread is: memory it shares with the watchdog, which looks at it while the main thread cannot say
 * anything. A process has one main thread, and so one of these.
 */

/** Places in the shared memory, then one for each plugin: how many of its calls are open. */
export const AT = { beat: 0, entered: 1, stalls: 2, stalledMs: 3, lastPlugin: 4, lastMs: 5, lastAt: 6, open: 8 } as const;
/** More plugins than this are counted as the gateway itself. */
export const MAX_PLUGINS = 512;

const memory = new SharedArrayBuffer((AT.open + MAX_PLUGINS) * Int32Array.BYTES_PER_ELEMENT);
const marks = new Int32Array(memory);
const names: string[] = ["(the gateway itself)"];
const numbers = new Map<string, number>();
const owners = new WeakMap<object, number>();
/** The watchdog, once it has started. */
const watchdog: { heard(name: string, number: number): void } = { heard: () => undefined };

/** The number that stands for a plugin, the same for as long as the process lives. */
export function markOf(plugin: string): number {
  const existing = numbers.get(plugin);
  if (existing !== undefined || names.length >= MAX_PLUGINS) return existing ?? 0;
  const number = names.push(plugin) - 1;
  numbers.set(plugin, number);
  watchdog.heard(plugin, number);
  return number;
}

/** Whose number it is. */
export const nameOf = (mark: number): string => names[mark] ?? "";

/** Says whose a route or a strategy is. */
export const belongsTo = <T extends object>(owner: T, plugin: string): T => {
  owners.set(owner, markOf(plugin));
  return owner;
};
export const markOfOwner = (owner: object): number => owners.get(owner) ?? 0;

/** Code of a plugin is about to run. One store: it stands on the way of every request. */
export const entering = (mark: number | undefined): void => {
  marks[AT.entered] = mark ?? 0;
};
/** A call to a plugin will be answered later. */
export const opened = (mark: number): void => void (marks[AT.open + mark] = (marks[AT.open + mark] ?? 0) + 1);
export const closed = (mark: number): void => void (marks[AT.open + mark] = (marks[AT.open + mark] ?? 1) - 1);

/** Counts the call as open until it is answered. */
export function whileOpen<T>(mark: number, answer: Promise<T>): Promise<T> {
  opened(mark);
  return answer.finally(() => closed(mark));
}

/** For the watchdog alone. */
export const sharedMarks = {
  memory,
  marks,
  names: names as readonly string[],
  onName: (tell: typeof watchdog.heard): void => void (watchdog.heard = tell),
};
