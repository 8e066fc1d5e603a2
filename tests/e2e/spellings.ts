/** Requests whose path, method and Host are spelt in many ways, written by hand onto a socket. */
import { connect } from "node:net";

export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers?: readonly string[];
}
export interface Answered {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly body: string;
}
export const ask = (port: number, { method, target, host, headers = [] }: RawRequest): Promise<Answered> =>
  askRaw(port, [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...headers, "Content-Length: 0", "Connection: close"]);

/** A request with exactly this head. */
export function askRaw(port: number, head: readonly string[]): Promise<Answered> {
  return new Promise((resolve) => {
    let text = "";
    const done = (): void =>
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), body: text.slice(text.indexOf("\r\n\r\n") + 4) });
    const socket = connect(port, "127.0.0.1", () => socket.write(`${head.join("\r\n")}\r\n\r\n`));
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
    });
    socket.on("close", done);
    socket.on("error", done);
  });
}

export interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
/** The detailed status is open to this machine, by its own name: status.test.ts has the names it is not open to. Who is invited has a token, and no key yet. */
const PUBLIC = [
  "/",
  "/v1/health",
  "/healthz",
  "/readyz",
  "/status",
  "/metrics",
  "/openapi.json",
  "/docs",
  "/v2/admin/users/invites/accept",
  "/v2/model-configs/pricing/x/x",
];
/** Every protected route, parameters filled in. */
export async function protectedRoutes(base: string): Promise<readonly (readonly [method: string, path: string])[]> {
  const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as Api;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path.replace(/\{[^}]+\}/g, "x")] as const),
  );
  return all.filter(([, path]) => !PUBLIC.includes(path));
}

/* ── seeded mutations ────────────────────────────────────────────────────────────────────────────────────────── */

export const SEED = 20_260_101;
/** Picks the same things each time. */
export function pickOf(seed: number): Pick {
  let state = seed;
  return (from) => {
    state = (state * 48_271) % 2_147_483_647;
    return from[Math.floor((state / 2_147_483_647) * from.length)] as (typeof from)[number]; // an index within the list
  };
}
export type Pick = <T>(from: readonly T[]) => T;
export const HOSTS = [
  "gateway.example",
  "a",
  "gw",
  "abc",
  "127.0.0.1",
  "[::1]",
  "",
  "a/",
  "a/healthz?",
  "a/healthz#",
  "healthz",
  "x/docs/..",
  "a?x=/healthz",
  "a#/healthz",
  "user@healthz",
  "a@b/healthz",
  "a\\healthz",
  "a:80/healthz?",
  "a%2fhealthz",
  "a;healthz",
  "x/v1/models?",
  "..",
  "a b",
  "a\tb",
];
/** What is done to a path; several are done to one. */
export const MUTATIONS: readonly ((path: string, pick: Pick) => string)[] = [
  (path) => path,
  (path) => path.replace("/", "//"),
  (path, pick) =>
    insert(
      path,
      pick([
        "/",
        "//",
        "/./",
        "/../",
        ";",
        ";x=1",
        "%2f",
        "%2F",
        "%5c",
        "\\",
        "%2e",
        "%2e%2e/",
        "..;/",
        "%00",
        "%0d%0a",
        "%20",
        "%23",
        "%3f",
        "?",
        "#",
        "&",
        "%252f",
        "%c0%af",
        "+",
        "~",
      ]),
      pick,
    ),
  (path) => `${path}/`,
  (path) => path.toUpperCase(),
  (path, pick) =>
    path
      .split("")
      .map((letter) => (pick([true, false]) ? letter.toUpperCase() : letter))
      .join(""),
  (path, pick) => path.replaceAll("/", pick(["%2f", "%5c", "\\", "/./", "//"])),
  (path, pick) => encodeOne(path, pick),
  (path, pick) => pick(PUBLIC) + pick(["/..", "/%2e%2e", "/..;", ";/..", "%2f..", "//..", "/../."]) + path,
  (path, pick) =>
    path +
    pick(["/../", ";", "?", "#", "/.", "/..", "%2f..", "/%2e%2e/", ".json", "/healthz", "?/../healthz", ";/../docs"]) +
    pick(["", "healthz", "docs", "x"]),
  (path, pick) =>
    pick(["http://", "https://", "HTTP://", "http:/", "//", "ftp://"]) +
    pick(["evil.example", "a", "gw", "127.0.0.1", "user@a", "a#b", ""]) +
    path,
  (path, pick) => pick(["/a", "/ab", "/abc", "/x/y", "/v1", "/v2", "/admin"]) + path,
];
const insert = (path: string, what: string, pick: Pick): string => {
  const at = pick([...path].map((_, index) => index));
  return path.slice(0, at) + what + path.slice(at);
};
const encodeOne = (path: string, pick: Pick): string => {
  const at = pick([...path].map((_, index) => index));
  return `${path.slice(0, at)}%${path.charCodeAt(at).toString(16)}${path.slice(at + 1)}`;
};
