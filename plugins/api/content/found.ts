import { GatewayError, type InnerJson, type PlacedSegment, type Segment, type SegmentKind } from "#contract";

/** Where readers put what they find. */
export interface Found extends Array<PlacedSegment> {
  /** Reads the arguments of all calls in it. */
  inner?: InnerJson;
}
/** Pieces of one body: reading them, and choosing among them for each check, is done in one turn. */
const MOST = 20_000;
export function put(found: Found, segment: PlacedSegment): void {
  if (found.length === MOST) throw new GatewayError("BODY_TOO_MANY_VALUES", { limit: MOST, of: "texts that are read by guardrails" });
  found.push(segment);
}
/** A piece whose text is made when it is looked at: most checks look at no calls and at no files. */
export function findLater(found: Found, segment: Omit<PlacedSegment, "text">, textOf: () => string): void {
  let made: string | undefined;
  put(found, {
    ...segment,
    get text() {
      return (made ??= textOf());
    },
  });
}

/** Where a reader stands: what every piece found from here on has in common. */
export interface Place {
  readonly path: string;
  readonly role: Segment["role"];
  readonly message: number;
  /** Plain text found here is the result of a tool. */
  readonly result: boolean;
  /** It stands in a document: what nests deeper is read as its JSON. */
  readonly inDocument?: true;
}
export const at = (path: string, role: Segment["role"], message: number): Place => ({
  path,
  role,
  message,
  result: role === "tool",
});

/** A text, or what makes it when it is looked at. */
export type TextFound = string | ((found: Found) => string);

/** Only an assistant has thoughts: what another calls one is a text. */
export function add(found: Found, { role, message, result }: Place, kind: SegmentKind, value: TextFound, path: string): void {
  const isText = kind === "text" || (kind === "reasoning" && role !== "assistant");
  const segment = { path, role, kind: isText ? (result ? "tool_result" : "text") : kind, message } as const;
  if (typeof value === "string") put(found, { ...segment, text: value });
  else findLater(found, segment, () => value(found));
}

const PLAIN_NAME = /^[^.[\]"\\]+$/;
/** The path of a member; a name that would read as another path is quoted. */
export function below(path: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}
