import { GatewayError, InnerJson, isJson, type Json, nextTurn } from "#contract";

/** An event of a run's stream. */
export interface RunEvent {
  readonly name: string;
  readonly data: Json | undefined;
  /** As it came, with its blank line. */
  readonly wire: string;
}

/** More than any run tells; whoever sends more is not read for guardrails. */
const MOST_EVENTS = 100_000;
/** Characters that are read before others have their turn, and what an event counts beside its own. */
const AT_ONCE = 64 * 1024;
const EVENT = 1024;

export async function eventsIn(wire: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  let sincePause = 0;
  for (const text of wiresIn(wire)) {
    if (events.length === MOST_EVENTS) throw new SyntaxError(`its stream has more than ${MOST_EVENTS} events`);
    events.push(eventOf(text));
    sincePause += text.length + EVENT;
    if (sincePause < AT_ONCE) continue;
    sincePause = 0;
    await nextTurn();
  }
  return events;
}

/** Up to a blank line each. An end that the wire does not have is looked for once. */
function* wiresIn(wire: string): Generator<string> {
  const ends = BLANKS.map((blank) => ({ blank, at: wire.indexOf(blank) }));
  for (let from = 0; from < wire.length; ) {
    let to = wire.length;
    for (const end of ends) {
      if (end.at >= 0 && end.at < from) end.at = wire.indexOf(end.blank, from);
      if (end.at >= 0) to = Math.min(to, end.at + end.blank.length);
    }
    yield wire.slice(from, to);
    from = to;
  }
}
const BLANKS = ["\n\n", "\n\r\n"] as const;

function eventOf(wire: string): RunEvent {
  const data = parsed(fieldOf(wire, "data"));
  return { name: fieldOf(wire, "event") || nameIn(data), data, wire };
}
/** Some readers go by what the data says that it is. */
const nameIn = (data: Json | undefined): string => (typeof data?.["object"] === "string" ? data["object"] : "");
/** The first line of this name. */
function fieldOf(wire: string, name: string): string {
  const line = `${name}:`;
  const before = wire.startsWith(line) ? 0 : wire.indexOf(`\n${line}`) + 1;
  if (before === 0 && !wire.startsWith(line)) return "";
  const end = wire.indexOf("\n", before);
  return wire.slice(before + line.length, end < 0 ? wire.length : end).trim();
}
/** An event that nobody can read in time is not passed unread. */
function parsed(data: string): Json | undefined {
  try {
    const value = new InnerJson().parse(data);
    return isJson(value) ? value : undefined;
  } catch (thrown) {
    if (GatewayError.is(thrown)) throw new SyntaxError("reading an event of it would hold up everybody else", { cause: thrown });
    return undefined; // the end marker
  }
}
